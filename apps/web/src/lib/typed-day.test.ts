import { expect, it } from 'vitest';
import { isTypedOut } from './typed-day.ts';

it('waits for the whole year', () => {
  expect(['0002-11-01', '0202-11-01', '2026-11-01', ''].map(isTypedOut)).toEqual([false, false, true, false]);
});
