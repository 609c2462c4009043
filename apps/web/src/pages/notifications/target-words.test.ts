import type { NotificationTarget } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { healthOf, whereTo } from './target-words.ts';

const health = {
  id: '1',
  last_success_at: null,
  last_failure_at: null,
  last_error: null,
  disabled_at: null,
  disabled_because: null,
};
const mail = (...emails: string[]): NotificationTarget => ({
  type: 'EMAIL',
  emails,
  unsubscribed: [],
  unconfirmed: [],
  ...health,
});
const chat: NotificationTarget = { type: 'CHAT', webhook: 'https://chat.example.org/secret', context: null, ...health };

describe('where a target leads', () => {
  it('does not show the path of a URL, which may be a secret', () => {
    expect(whereTo(chat)).toBe('chat.example.org');
  });

  it('names the first address and counts the others', () => {
    expect(whereTo(mail('a@example.org'))).toBe('a@example.org');
    expect(whereTo(mail('a@example.org', 'b@example.org', 'c@example.org'))).toBe('a@example.org and 2 more');
  });
});

describe('the health of a target', () => {
  it('is that of the newest attempt', () => {
    expect(healthOf(chat)).toBe('unused');
    expect(healthOf({ ...chat, last_success_at: 1 })).toBe('works');
    expect(healthOf({ ...chat, last_success_at: 1, last_failure_at: 2, last_error: 'refused' })).toBe('failing');
  });

  it('is given up, whatever else is true', () => {
    expect(healthOf({ ...chat, last_error: 'refused', disabled_at: 3 })).toBe('given-up');
  });
});
