import type { Trail } from '@waymark/contract';
import { expect, test } from 'vitest';
import { missing, slot, trailWith } from '../../pictures/evidence-chain-given.ts';
import { headingsOf, matrixOf } from './evidence-matrix.ts';

const named = (name: string, ...parts: Parameters<typeof trailWith>) => ({ name, ...trailWith(...parts) }) as Trail;

test('trails against what each of them requires', () => {
  const { columns, rows } = matrixOf([
    named('new', [slot('pr', 'pull_request')], { web: [slot('tests', 'junit', { is_compliant: false })] }),
    named('old', [slot('ticket', 'jira', missing)], { web: null }),
  ]);
  expect(columns.map(({ key }) => key)).toEqual(['/pr', '/ticket', 'web/', 'web/tests']);
  expect(rows.map(({ cells }) => cells.map(({ state }) => state))).toEqual([
    ['passes', 'not required', 'passes', 'fails'],
    ['not required', 'missing', 'missing', 'not required'],
  ]);
  expect(headingsOf(columns)).toEqual([
    { artifact: '', span: 2 },
    { artifact: 'web', span: 2 },
  ]);
});

test('what no template requires has no column, and an override is marked', () => {
  const { columns, rows } = matrixOf([
    named('one', [slot('x', 'generic', { unexpected: true }), slot('y', 'junit', { overridden_attestation_id: 'z' })]),
  ]);
  expect(columns.map(({ key }) => key)).toEqual(['/y']);
  expect(rows[0]?.cells.map(({ state }) => state)).toEqual(['overridden']);
});
