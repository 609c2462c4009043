import { expect, it } from 'vitest';
import { expiryChoices, expiryOf, sameValidity } from './expiry.ts';

it('counts from now, to the end of a day, or never', () => {
  expect(expiryOf('30', undefined, 1_000)).toBe(1_000 + 30 * 86_400);
  expect(expiryOf('day', '1970-01-02', 1_000)).toBe(2 * 86_400 - 1);
  expect(expiryOf('day', '', 1_000)).toBeUndefined();
  expect(expiryOf('never', undefined, 1_000)).toBe(0);
});

it('offers a rotated key the validity of the old one, first and once', () => {
  const of = (seconds: number) => sameValidity({ created_at: 1_000, expires_at: 1_000 + seconds });
  expect(of(90 * 86_400 - 3_000)).toEqual({ id: '90', label: 'In 90 days, valid as long as the old key' });
  expect(expiryChoices(of(90 * 86_400)).map(({ id }) => id)).toEqual(['90', '30', '365', 'day', 'never']);
  expect(of(86_400).label).toBe('In 1 day, valid as long as the old key');
  const hours = of(2 * 3_600);
  expect(hours.label).toBe('In 2 hours, valid as long as the old key');
  expect(expiryOf(hours.id, undefined, 1_000)).toBe(1_000 + 2 * 3_600);
  expect(sameValidity({ created_at: 1_000, expires_at: 0 })).toEqual({ id: 'never', label: 'Never, like the old key' });
});
