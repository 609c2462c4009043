import { expect, it } from 'vitest';
import { countFlips, flipsInWords, snapshotsInWords } from './flip-words.ts';

it('counts flips by their new verdict', () => {
  const flips = (['non-compliant', 'compliant', 'non-compliant', 'waived'] as const).map((to) => ({ to }));
  expect(countFlips(flips)).toEqual({ red: 2, green: 1, other: 1 });
});

it('summarizes flips', () => {
  expect(flipsInWords({ red: 3, green: 1, other: 0 })).toBe('3 verdicts would fail, 1 would pass');
  expect(flipsInWords({ red: 0, green: 1, other: 0 })).toBe('1 verdict would pass');
  expect(flipsInWords({ red: 1200, green: 0, other: 2 })).toBe('1,200 verdicts would fail, 2 would change otherwise');
  expect(flipsInWords({ red: 0, green: 0, other: 0 })).toBe('No verdicts would change');
});

it('sums the snapshots of all environments', () => {
  const each = { environment: 'prod', snapshots: 10, would_fail: 4, fails_now: 1 };
  expect(snapshotsInWords([each, each])).toBe('8 of 20 snapshots would fail; 2 fail as recorded');
  expect(snapshotsInWords([])).toBe('No snapshots in this period');
});
