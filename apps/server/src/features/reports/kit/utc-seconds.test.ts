import { expect, it } from 'vitest';
import { utcSeconds } from './utc-seconds.ts';

it('writes a time to the second', () => {
  expect(utcSeconds(new Date('2026-11-01T12:34:56.789Z'))).toBe('2026-11-01 12:34:56 UTC');
});
