import { expect, it } from 'vitest';
import { holds, listPage } from './list-page.ts';

const letters = ['a', 'b', 'c', 'd', 'e'];

it('cuts a list into pages', () => {
  expect(listPage(letters, 2, 2)).toEqual({ rows: ['c', 'd'], page: 2, pages: 3, total: 5 });
  expect(listPage(letters, 3, 2).rows).toEqual(['e']);
});

it('shows the last page for one beyond it, and one page of nothing', () => {
  expect(listPage(letters, 9, 2)).toMatchObject({ rows: ['e'], page: 3 });
  expect(listPage([], 1, 2)).toEqual({ rows: [], page: 1, pages: 1, total: 0 });
});

it('ignores case', () => {
  expect(holds('BUILD', 'builder', '')).toBe(true);
  expect(holds(' ', 'x')).toBe(true);
  expect(holds(undefined, 'x')).toBe(true);
  expect(holds('deploy', 'builder', 'CI')).toBe(false);
});
