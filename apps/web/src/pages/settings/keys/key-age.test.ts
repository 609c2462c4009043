import { expect, it } from 'vitest';
import { isRotatable, keyAge, keysWarning } from './key-age.ts';

const DAY = 86_400;
const now = 1_800_000_000;
const key = (createdDays: number, expiresDays: number) => ({
  created_at: now + createdDays * DAY,
  expires_at: now + expiresDays * DAY,
  replaced_by: null,
});
const replaced = { ...key(-86, 1), replaced_by: 'its successor' };

it('computes how much of a key’s life is over', () => {
  expect(keyAge(key(-30, 90), now)).toEqual({ state: 'good', says: 'expires in 90 days', share: 0.25 });
});

it('warns from 14 days before the end', () => {
  expect(keyAge(key(-76, 14), now)).toMatchObject({ state: 'soon', says: 'expires in 14 days' });
  expect(keyAge(key(-76, 4), now).says).toBe('expires in 4 days');
  expect(keyAge(key(0, 365), now).says).toBe('expires in 11 months');
  expect(keyAge(key(-76, 15), now).state).toBe('good');
});

it('marks keys that have expired, and those that never do', () => {
  expect(keyAge(key(-90, 0), now)).toMatchObject({ state: 'expired', share: 1 });
  expect(keyAge({ created_at: now, expires_at: 0, replaced_by: null }, now)).toEqual({
    state: 'endless',
    says: 'never expires',
    share: null,
  });
});

it('says when a replaced key stops working, and does not ask to rotate it', () => {
  const says = (left: number) => keyAge({ ...replaced, expires_at: now + left }, now).says;
  expect(keyAge(replaced, now)).toEqual({ state: 'replaced', says: 'replaced, rejected in 24 h', share: null });
  expect([DAY - 1, 30 * DAY, 1_790].map(says)).toEqual([
    'replaced, rejected in 23 h',
    'replaced, rejected in 30 days',
    'replaced, rejected in 30 min',
  ]);
  expect(keyAge({ ...replaced, expires_at: now - 7_200 }, now)).toMatchObject({ state: 'expired' });
  expect([replaced, key(-90, -1), key(-1, 3)].map((each) => isRotatable(each, now))).toEqual([false, false, true]);
  expect(keysWarning([replaced, key(-1, 90)], now)).toBeNull();
  expect(keysWarning([replaced, key(-1, 3)], now)).toBe(
    '1 of 1 key expires within 14 days. Rotate it before the jobs that use it stop working.',
  );
});

it('counts what expires soon', () => {
  expect(keysWarning([key(-1, 90)], now)).toBeNull();
  expect(keysWarning([key(-1, 3), key(-1, 90)], now)).toBe(
    '1 of 2 keys expires within 14 days. Rotate it before the jobs that use it stop working.',
  );
  expect(keysWarning([key(-1, 3), key(-1, 4), key(-1, 90)], now)).toBe(
    '2 of 3 keys expire within 14 days. Rotate them before the jobs that use them stop working.',
  );
});
