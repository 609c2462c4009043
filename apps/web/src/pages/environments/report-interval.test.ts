import { expect, it } from 'vitest';
import { readInterval, writeInterval } from './report-interval.ts';

it.each([
  ['30 s', 30],
  ['5 min', 300],
  ['5m', 300],
  [' 1 hour ', 3_600],
  ['2 days', 172_800],
  ['soon', undefined],
  ['5', undefined],
  ['-5 min', undefined],
  ['', undefined],
])('%s is %s seconds', (text, seconds) => expect(readInterval(text)).toBe(seconds));

it('writes what it reads', () => {
  for (const seconds of [30, 90, 300, 3_600, 5_400, 86_400, 172_800])
    expect(readInterval(writeInterval(seconds))).toBe(seconds);
  expect(writeInterval(1_800)).toBe('30 min');
});
