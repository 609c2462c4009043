import { expect, it } from 'vitest';
import { countFlips, flipsInWords, snapshotsInWords } from './flip-words.ts';

it('counts flips by their new verdict', () => {
  const flips = (['non-compliant', 'compliant', 'non-compliant', 'waived'] as const).map((to) => ({ to }));
  expect(countFlips(flips)).toEqual({ red: 2, green: 1, other: 1 });
});

it('summarizes flips', () => {
  expect(flipsInWords({ red: 3, green: 1, other: 0 })).toBe('Would turn 3 verdicts red, 1 green');
  expect(flipsInWords({ red: 0, green: 1, other: 0 })).toBe('Would turn 1 verdict green');
  expect(flipsInWords({ red: 1200, green: 0, other: 2 })).toBe('Would turn 1,200 verdicts red, 2 otherwise');
  expect(flipsInWords({ red: 0, green: 0, other: 0 })).toBe('Would change no verdict');
});

it('sums the snapshots of all environments', () => {
  const each = { environment: 'prod', snapshots: 10, would_fail: 4, fails_now: 1 };
  expect(snapshotsInWords([each, each])).toBe('Something would fail in 8 of 20 snapshots, and does in 2 as recorded');
  expect(snapshotsInWords([])).toBe('No snapshot was made in this time');
});
