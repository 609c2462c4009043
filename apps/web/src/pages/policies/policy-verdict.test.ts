import { expect, it } from 'vitest';
import { policyVerdict } from './policy-verdict.ts';

it.each([
  [0, 0, 'compliant', 'All pass', 'All pass'],
  [0, 1, 'waived', '1 waived', '1 of 9 waived'],
  [1, 0, 'non-compliant', '1 failing', '1 of 9 failing'],
  [1_200, 2, 'non-compliant', '1,200 failing, 2 waived', '1,200 of 9 failing, 2 waived'],
] as const)(
  'tells %i that fail and %i that are waived apart: %s, %s',
  (failing_count, waived_count, state, ...words) => {
    const counts = { failing_count, waived_count };
    const shown = [policyVerdict(counts, false), policyVerdict(counts, false, 9)];
    expect(shown).toEqual(words.map((word) => ({ state, word })));
  },
);

it.each([
  [0, 0, 'unknown', 'All pass', 'All pass'],
  [0, 1, 'unknown', '1 waived', '1 of 9 waived'],
  [1, 0, 'non-compliant', '1 failing', '1 of 9 failing'],
  [2, 1, 'non-compliant', '2 failing, 1 waived', '2 of 9 failing, 1 waived'],
] as const)(
  'in a stale environment, shows %i that fail and %i that are waived as %s, marked stale',
  (failing_count, waived_count, state, ...words) => {
    const counts = { failing_count, waived_count };
    const shown = [policyVerdict(counts, true), policyVerdict(counts, true, 9)];
    expect(shown).toEqual(words.map((word) => ({ state, word: `${word} · stale` })));
  },
);
