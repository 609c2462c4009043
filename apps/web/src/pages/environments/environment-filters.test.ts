import { expect, it } from 'vitest';
import { EnvironmentSearch, environmentQuery, isFiltered, TYPE_CHOICES } from './environment-filters.ts';

function queryOf(sent: Readonly<Record<string, string>>) {
  return environmentQuery(EnvironmentSearch.parse(sent), 50);
}

it('a state is a verdict, or that a report is overdue', () => {
  expect(queryOf({ state: 'non-compliant' })).toMatchObject({ compliance: 'non-compliant', stale: undefined });
  expect(queryOf({ state: 'stale' })).toMatchObject({ compliance: undefined, stale: 'true' });
  expect(queryOf({})).toMatchObject({ compliance: undefined, stale: undefined, sort: 'name', page: 1 });
});

it('each type is offered once, and finds environments of its old name too', () => {
  const labels = TYPE_CHOICES.map(({ label }) => label);
  expect(new Set(labels).size).toBe(labels.length);
  expect(queryOf({ type: 'cloudx-apps' }).type).toEqual(expect.arrayContaining(['cloudx-apps', 'azure-apps']));
  expect(queryOf({ type: 'K8S' }).type).toEqual(['K8S']);
});

it('sorting and paging are not filters', () => {
  expect(isFiltered(EnvironmentSearch.parse({ sort: 'last_changed_at', page: '2' }))).toBe(false);
  expect(isFiltered(EnvironmentSearch.parse({ state: 'stale' }))).toBe(true);
});
