import { expect, it } from 'vitest';
import { retainedUntil } from './retained-until.ts';

const until = (at: string, years: number) => retainedUntil(new Date(at), years).toISOString();

it('is the same moment, so many years later', () => {
  expect(until('2026-11-19T10:37:00.123Z', 0)).toBe('2026-11-19T10:37:00.123Z');
  expect(until('2026-11-19T10:37:00.123Z', 7)).toBe('2033-11-19T10:37:00.123Z');
});

it('is the first of March where a year has no 29 February', () => {
  expect(until('2028-02-29T00:00:00Z', 1)).toBe('2029-03-01T00:00:00.000Z');
  expect(until('2028-02-29T00:00:00Z', 4)).toBe('2032-02-29T00:00:00.000Z');
});
