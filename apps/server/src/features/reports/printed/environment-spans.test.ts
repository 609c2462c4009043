import { expect, it } from 'vitest';
import { breachesOf, lengthsOf, statesOf } from './environment-spans.ts';
import type { Change } from './period.reads.ts';

const at = (minute: number) => new Date(minute * 60_000);
const minutes = (ms: number) => ms / 60_000;
const period = { from: at(100), to: at(200) };

function change(index: number, minute: number, compliance: Change['compliance']): Change {
  return { index, created_at: at(minute), trigger: 'report', compliance, policy_set_id: null };
}

const changes = [
  change(3, 50, 'non-compliant'),
  change(4, 110, 'non-compliant'),
  change(7, 120, 'compliant'),
  change(8, 150, 'unknown'),
  change(9, 150, 'non-compliant'),
];

it('weighs known states by their length, and stale periods as such unless they hide a failure', () => {
  const stalePeriods = [{ from: at(130).getTime(), until: at(160).getTime() }];
  const lengths = lengthsOf(statesOf({ changes, period, stalePeriods }));
  expect(Object.values(lengths).map(minutes)).toEqual([10, 70, 0, 20]);
});

it('counts from the first report on, and is empty without any', () => {
  const late = [change(1, 175, 'compliant')];
  expect(Object.values(lengthsOf(statesOf({ changes: late, period, stalePeriods: [] }))).map(minutes)).toEqual([
    25, 0, 0, 0,
  ]);
  expect(statesOf({ changes: [], period, stalePeriods: [] })).toEqual([]);
});

it('finds each breach, clipped to the period, with what ended it', () => {
  const stalePeriods = [{ from: at(130).getTime(), until: at(160).getTime() }];
  expect(breachesOf({ changes, period, stalePeriods })).toEqual([
    { first: 3, ended: changes[2], span: { from: at(100).getTime(), until: at(120).getTime() }, staleMs: 0 },
    {
      first: 9,
      ended: undefined,
      span: { from: at(150).getTime(), until: at(200).getTime() },
      staleMs: at(10).getTime(),
    },
  ]);
  expect(breachesOf({ changes: [], period, stalePeriods })).toEqual([]);
});
