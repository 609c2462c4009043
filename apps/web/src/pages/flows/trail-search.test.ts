import { expect, it } from 'vitest';
import { areDigits, hasFilters, TrailSearch, trailFilter } from './trail-search.ts';

const search = (changes: object) => TrailSearch.parse(changes);

it('takes digits for a commit from six on, and for a fingerprint only when all are there', () => {
  expect(trailFilter(search({ digits: ' ABC123 ' }))).toMatchObject({ commit: 'abc123', fingerprint: undefined });
  expect(trailFilter(search({ digits: 'a'.repeat(64) }))).toMatchObject({ commit: undefined });
  expect(['', 'abc12', 'abc123', 'a'.repeat(40), 'a'.repeat(41), 'a'.repeat(64), 'xyz123'].map(areDigits)).toEqual([
    true,
    false,
    true,
    true,
    false,
    true,
    false,
  ]);
});

it('covers the whole last day', () => {
  expect(trailFilter(search({ from: '2026-11-01', to: '2026-11-01' }))).toMatchObject({
    from: Date.UTC(2026, 10, 1) / 1000,
    to: Date.UTC(2026, 10, 2) / 1000 - 1,
  });
});

it('knows whether anything is filtered', () => {
  expect(
    [{}, { page: '3' }, { branch: 'main' }, { to: '2026-11-01' }, { digits: 'a' }].map(search).map(hasFilters),
  ).toEqual([false, false, true, true, true]);
});
