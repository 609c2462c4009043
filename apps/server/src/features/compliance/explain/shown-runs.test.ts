import { expect, it } from 'vitest';
import { shownRuns } from './shown-runs.ts';

const runs = (count: number, compliance: 'compliant' | 'non-compliant' | 'waived' | 'unknown') =>
  Array.from({ length: count }, (_, i) => ({ name: `${compliance}-${i}`, compliance }));

it('shows all of a small environment, the worst first', () => {
  const some = [...runs(1, 'compliant'), ...runs(1, 'unknown'), ...runs(1, 'waived'), ...runs(2, 'non-compliant')];
  const names = shownRuns(some, 1, false).map(({ name }) => name);
  expect(names).toEqual(['non-compliant-0', 'non-compliant-1', 'waived-0', 'unknown-0', 'compliant-0']);
});

it('shows failures in a large environment, unless everything is requested', () => {
  const many = [...runs(100, 'compliant'), ...runs(1, 'non-compliant')];
  expect(shownRuns(many, 1, false)).toHaveLength(1);
  expect(shownRuns(many, 1, true)).toHaveLength(101);
});

it('shows as many as make 2,000 decisions, failing ones first', () => {
  const many = [...runs(1_000, 'compliant'), ...runs(60, 'non-compliant')];
  const shown = shownRuns(many, 20, true);
  expect(shown).toHaveLength(100);
  expect(shown.filter(({ compliance }) => compliance === 'non-compliant')).toHaveLength(60);
  expect(shownRuns(runs(3, 'non-compliant'), 5_000, false)).toHaveLength(1);
});
