import { expect, it } from 'vitest';
import { PAUSE_SECONDS, pauseMs, RETRY_SECONDS, retryAfterMs, retryWaitMs } from './retry-schedule.ts';

const NOW = new Date('2026-11-15T12:00:00Z');
const DAY_MS = 24 * 3_600_000;

it('tries ten times over about 75 hours', () => {
  expect(RETRY_SECONDS).toHaveLength(10);
  expect(RETRY_SECONDS.reduce<number>((sum, seconds) => sum + seconds, 0) / 3_600).toBeCloseTo(75.6, 1);
  expect(RETRY_SECONDS.map((_, tries) => retryWaitMs(tries, 0.5))).toEqual(RETRY_SECONDS.map((s) => s * 1_000));
  expect(retryWaitMs(10, 0.5)).toBeUndefined();
});

it.each([...RETRY_SECONDS.keys()])('spreads the wait after %i tries by a fifth at most', (tries) => {
  const ms = (RETRY_SECONDS[tries] ?? 0) * 1_000;
  expect(retryWaitMs(tries, 0)).toBe(ms * 0.8);
  expect(retryWaitMs(tries, 0.999)).toBeLessThanOrEqual(ms * 1.2);
  expect(retryWaitMs(tries, 0.999)).toBeGreaterThanOrEqual(ms * 1.199);
});

it('pauses a target longer with each failure, up to a quarter of an hour', () => {
  const seconds = Array.from({ length: 10 }, (_, i) => pauseMs(i + 1, 0.5) / 1_000);
  expect(seconds).toEqual([5, 30, 60, 120, 240, 480, 900, 900, 900, 900]);
  expect([pauseMs(1, 0), pauseMs(PAUSE_SECONDS.length, 0)]).toEqual([4_000, 720_000]);
});

it.each([
  ['0', null],
  ['1', 1_000],
  [' 120 ', 120_000],
  ['86400', DAY_MS],
  ['86401', DAY_MS],
  ['99999999999999999999999999', DAY_MS],
  ['Sun, 15 Nov 2026 12:00:30 GMT', 30_000],
  ['Sun, 15 Nov 2026 12:00:00 GMT', null],
  ['Sun, 15 Nov 2026 11:59:00 GMT', null],
  ['Fri, 15 Nov 2126 12:00:00 GMT', DAY_MS],
])('reads Retry-After: %s', (header, ms) => {
  expect(retryAfterMs(header, NOW)).toBe(ms);
});

it.each([
  null,
  '',
  '-1',
  '1.5',
  '1e9',
  '0x10',
  'soon',
  '12, 13',
  '2026-11-15T13:00:00Z',
  'Sunday, 15-Nov-26 13:00:00 GMT',
  'Sun Nov 15 13:00:00 2026',
  'Sun, 99 Nov 2026 13:00:00 GMT',
  'Sun, 15 Nov 2026 13:00:00 CET',
])('ignores Retry-After: %s', (header) => {
  expect(retryAfterMs(header, NOW)).toBeNull();
});
