import { expect, it } from 'vitest';
import { readRetryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

it.each([
  ['0', 0],
  ['120', 120],
  [' 7 ', 7],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 30],
  ['Thursday, 01-Jan-26 12:01:00 GMT', 60],
  ['Thu Jan  1 12:00:10 2026 GMT', 10],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ['', null],
  [null, null],
  ['-1', null],
  ['1.5', null],
  ['2026', 2026],
  ['soon', null],
])('%j is %j seconds', (header, seconds) => {
  expect(readRetryAfter(header, now)).toBe(seconds);
});

it('rounds up, so that nobody comes a moment too early', () => {
  expect(readRetryAfter('Thu, 01 Jan 2026 12:00:30 GMT', now + 1)).toBe(30);
});
