import { expect, it } from 'vitest';
import { isDigits, isId, literally } from './sought.ts';

it('tells digits, ids and names apart', () => {
  expect(isDigits('3ed64')).toBe(true);
  expect(isDigits('3ed6')).toBe(false);
  expect(isDigits('checkout')).toBe(false);
  expect(isId('01a1e18f-ed0c-7f6e-9b51-5dde31e46d0e')).toBe(true);
  expect(isId('01a1e18f')).toBe(false);
});

it('matches the text literally', () => {
  expect(literally('a.b(c')).toBe('(?i)a\\.b\\(c');
});
