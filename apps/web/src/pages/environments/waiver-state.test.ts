import { expect, it } from 'vitest';
import { counts, SOON_SECONDS, waiverStateOf } from './waiver-state.ts';

const NOW = 1_794_700_000;
const open = { ended_at: null, end_reason: null, expires_at: null };

it('is active until its end, and expiring from a week before', () => {
  expect(waiverStateOf(open, NOW)).toBe('active');
  expect(waiverStateOf({ ...open, expires_at: NOW + SOON_SECONDS + 1 }, NOW)).toBe('active');
  expect(waiverStateOf({ ...open, expires_at: NOW + SOON_SECONDS }, NOW)).toBe('expiring');
});

it('has expired as soon as its end has passed', () => {
  expect(waiverStateOf({ ...open, expires_at: NOW }, NOW)).toBe('expired');
});

it('has the recorded state once it has ended', () => {
  expect(waiverStateOf({ ended_at: NOW, end_reason: 'withdrawn', expires_at: NOW + 5 }, NOW)).toBe('withdrawn');
  expect(counts('withdrawn')).toBe(false);
  expect(counts('expiring')).toBe(true);
});

const DAY = 86_400;

it.each([
  [{ ...open, ended_at: NOW - 5, expires_at: NOW + DAY }, 'expired'],
  [open, 'active'],
  [{ ...open, expires_at: NOW + 8 * DAY }, 'active'],
  [{ ...open, expires_at: NOW + DAY }, 'expiring'],
  [{ ...open, expires_at: NOW }, 'expired'],
  [{ ...open, expires_at: NOW - 120 }, 'expired'],
])('%o is %s', (waiver, state) => expect(waiverStateOf(waiver, NOW)).toBe(state));
