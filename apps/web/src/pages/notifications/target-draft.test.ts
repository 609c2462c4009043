import type { NotificationTarget } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { draftOf, inputOf, newTarget } from './target-draft.ts';

const health = {
  id: '018f',
  last_success_at: null,
  last_failure_at: null,
  last_error: null,
  disabled_at: null,
  disabled_because: null,
};

describe('a target that is filled in', () => {
  it('keeps its id and what is not shown of it', () => {
    const context = { channel_id: 'C1', channel_name: 'ops', team_id: 'T1' };
    const chat: NotificationTarget = { type: 'CHAT', webhook: 'https://chat.example.org/x', context, ...health };
    expect(inputOf(draftOf(chat))).toEqual({
      type: 'CHAT',
      webhook: 'https://chat.example.org/x',
      context,
      id: '018f',
    });
  });

  it('has addresses that are apart by lines, commas or spaces', () => {
    const draft = { ...newTarget('1', 'EMAIL'), emails: 'a@example.org, b@example.org\nc@example.org\n' };
    expect(inputOf(draft)).toEqual({ type: 'EMAIL', emails: ['a@example.org', 'b@example.org', 'c@example.org'] });
  });

  it('of a webhook says which body it wants', () => {
    const draft = { ...newTarget('1'), webhook: ' https://hooks.example.org/x ' };
    expect(inputOf(draft)).toEqual({
      type: 'WEBHOOK',
      webhook: 'https://hooks.example.org/x',
      payload_version: '1.0',
    });
  });
});
