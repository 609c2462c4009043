import { expect, it } from 'vitest';
import { gatherServices, type PlacedRun } from './services.ts';

function run(environmentId: string, no: number, fingerprint: string): PlacedRun {
  const service = { flowName: 'shop', name: 'shop' };
  return {
    environmentId,
    no,
    name: 'shop',
    fingerprint,
    startedIn: no,
    compliance: 'compliant',
    report: undefined,
    service,
  };
}

const driftOf = (...runs: PlacedRun[]) =>
  gatherServices(runs, ['staging', 'production', 'other']).map(({ drift }) => drift);

it('drifts where environments run different artifacts, regardless of start order', () => {
  expect(driftOf(run('staging', 1, 'a'), run('staging', 2, 'b'), run('production', 9, 'b'))).toEqual([true]);
  expect(
    driftOf(run('staging', 1, 'a'), run('staging', 2, 'b'), run('production', 1, 'b'), run('production', 2, 'a')),
  ).toEqual([false]);
  expect(driftOf(run('staging', 1, 'a'), run('staging', 2, 'b'))).toEqual([false]);
});
