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

describe('a target that is edited', () => {
  it('keeps its id and the fields that are not shown', () => {
    const context = { channel_id: 'C1', channel_name: 'ops', team_id: 'T1' };
    const chat: NotificationTarget = { type: 'CHAT', webhook: 'https://chat.example.org/x', context, ...health };
    expect(inputOf(draftOf(chat))).toEqual({
      type: 'CHAT',
      webhook: 'https://chat.example.org/x',
      context,
      id: '018f',
    });
  });

  it('has addresses separated by lines, commas or spaces', () => {
    const draft = { ...newTarget('1', 'EMAIL'), emails: 'a@example.org, b@example.org\nc@example.org\n' };
    expect(inputOf(draft)).toEqual({ type: 'EMAIL', emails: ['a@example.org', 'b@example.org', 'c@example.org'] });
  });

  it('of a webhook has a body format', () => {
    const draft = { ...newTarget('1'), webhook: ' https://hooks.example.org/x ' };
    expect(inputOf(draft)).toEqual({
      type: 'WEBHOOK',
      webhook: 'https://hooks.example.org/x',
      payload_version: '1.0',
    });
  });
});
