import { expect, it } from 'vitest';
import { expiryOf } from './expiry.ts';

it('counts from now, to the end of a day, or never', () => {
  expect(expiryOf('30', undefined, 1_000)).toBe(1_000 + 30 * 86_400);
  expect(expiryOf('day', '1970-01-02', 1_000)).toBe(2 * 86_400 - 1);
  expect(expiryOf('day', '', 1_000)).toBeUndefined();
  expect(expiryOf('never', undefined, 1_000)).toBe(0);
});
