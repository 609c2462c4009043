import { expect, it } from 'vitest';
import { dayEnd } from '../../lib/day.ts';
import { latestDay, renewedUntil } from './waiver-until.ts';

const at = (text: string) => Date.parse(text) / 1000;
const now = at('2026-11-19T15:00:00Z');

it('a waiver is renewed for as long as it lasted, from now', () => {
  const twoWeeks = { timestamp: at('2026-11-08T09:00:00Z'), expires_at: at('2026-11-22T23:59:59Z') };
  expect(renewedUntil(twoWeeks, now, null)).toBe('2026-12-04');
  expect(renewedUntil({ timestamp: now, expires_at: now + 60 }, now, null)).toBe('2026-11-20');
});

it('a waiver without an expiry is renewed without one', () => {
  expect(renewedUntil({ timestamp: now, expires_at: null }, now, null)).toBe('');
});

it('nothing is offered that the org refuses: the end of the day is within its limit', () => {
  const long = { timestamp: at('2026-10-01T09:00:00Z'), expires_at: at('2026-11-30T23:59:59Z') };
  for (const wanted of [long, { timestamp: now, expires_at: null }])
    expect(dayEnd(renewedUntil(wanted, now, 7))).toBe(at('2026-11-25T23:59:59Z'));
  expect(dayEnd(latestDay(now, 7))).toBeLessThanOrEqual(now + 7 * 86_400);
  expect(latestDay(now, 1)).toBe('2026-11-19');
  expect(latestDay(at('2026-11-19T23:59:59Z'), 1)).toBe('2026-11-20');
  expect(latestDay(now, null)).toBe('');
});
