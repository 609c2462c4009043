import { expect, it } from 'vitest';
import { type Judged, unknownWord } from './unknown-word.ts';

const UNREPORTED: Judged = {
  type: 'K8S',
  compliance: 'unknown',
  policies: [],
  latest_snapshot_index: 0,
  last_reported_at: null,
};
const REPORTED: Judged = { ...UNREPORTED, latest_snapshot_index: 3, last_reported_at: 1_800_000_000 };

it('says what an environment lacks', () => {
  expect(unknownWord(UNREPORTED)).toBe('No report yet');
  expect(unknownWord(REPORTED)).toBe('No policy');
  expect(unknownWord({ ...REPORTED, policies: ['strict'] })).toBeUndefined();
  expect(unknownWord({ ...REPORTED, compliance: 'compliant' })).toBeUndefined();
});

it('for a logical environment only says whether a member has reported', () => {
  expect(unknownWord({ ...UNREPORTED, type: 'logical' })).toBe('No report yet');
  expect(unknownWord({ ...REPORTED, type: 'logical', latest_snapshot_index: 0 })).toBeUndefined();
});
