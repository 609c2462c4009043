import { describe, expect, it } from 'vitest';
import { momentSeconds, momentText } from './moment.ts';

const AT = Date.UTC(2026, 10, 15, 9, 30) / 1000;

describe('a time that is filled in', () => {
  it.each(['utc', 'local'] as const)('comes back as the same time in %s', (zone) => {
    expect(momentSeconds(momentText(AT, zone), zone)).toBe(AT);
  });

  it('is written to the minute', () => {
    expect(momentText(AT + 59, 'utc')).toBe('2026-11-15T09:30');
  });

  it('is undefined when it is not a time', () => {
    expect(momentSeconds('', 'utc')).toBeUndefined();
    expect(momentSeconds('soon', 'local')).toBeUndefined();
  });
});
