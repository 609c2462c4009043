import { expect, it } from 'vitest';
import { amountWords, fullestWords, usedPercent } from './storage-words.ts';

it('is 100 percent only when it is full', () => {
  expect(usedPercent({ used: 999, quota: 1_000 })).toBe(99);
  expect(usedPercent({ used: 1_001, quota: 1_000 })).toBe(100);
  expect(usedPercent({ used: 0, quota: 0 })).toBe(100);
  expect(usedPercent({ used: 5, quota: null })).toBe(null);
});

it('names what is used, of which quota', () => {
  expect(amountWords('bytes', { used: 1024, quota: 2048 })).toBe('1.0 KiB of 2.0 KiB');
  expect(amountWords('rows', { used: 1_204, quota: null })).toBe('1,204');
});

it('names the fuller of the two', () => {
  const bytes = { used: 10, quota: 100 };
  expect(fullestWords({ bytes, rows: { used: 9, quota: 10 }, level: 'warning' })).toBe('9 of 10 rows');
  expect(fullestWords({ bytes, rows: { used: 9, quota: null }, level: 'ok' })).toBe('10 bytes of 100 bytes');
});
