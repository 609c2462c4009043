import { expect, it } from 'vitest';
import { keyAge, keysWarning } from './key-age.ts';

const DAY = 86_400;
const now = 1_800_000_000;
const key = (createdDays: number, expiresDays: number) => ({
  created_at: now + createdDays * DAY,
  expires_at: now + expiresDays * DAY,
});

it('tells how much of a key’s life is over', () => {
  expect(keyAge(key(-30, 90), now)).toEqual({ state: 'good', says: 'expires in 90 days', share: 0.25 });
});

it('warns from 14 days before the end', () => {
  expect(keyAge(key(-76, 14), now)).toMatchObject({ state: 'soon', says: 'expires in 14 days' });
  expect(keyAge(key(-76, 4), now).says).toBe('expires in 4 days');
  expect(keyAge(key(0, 365), now).says).toBe('expires in 11 months');
  expect(keyAge(key(-76, 15), now).state).toBe('good');
});

it('tells what has expired, and what never does', () => {
  expect(keyAge(key(-90, 0), now)).toMatchObject({ state: 'expired', share: 1 });
  expect(keyAge({ created_at: now, expires_at: 0 }, now)).toEqual({
    state: 'endless',
    says: 'never expires',
    share: null,
  });
});

it('counts what expires soon', () => {
  expect(keysWarning([key(-1, 90)], now)).toBeNull();
  expect(keysWarning([key(-1, 3), key(-1, 90)], now)).toBe(
    '1 of 2 keys expires within 14 days. Rotate it before what uses it stops working.',
  );
  expect(keysWarning([key(-1, 3), key(-1, 4), key(-1, 90)], now)).toBe(
    '2 of 3 keys expire within 14 days. Rotate them before what uses them stops working.',
  );
});
