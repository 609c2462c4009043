import type { LedgerEntry } from '@waymark/contract';
import { expect, it } from 'vitest';
import { recordedWords, sealStateOf, sealWords } from './proof-words.ts';

const sealed = { epoch: 1, number: 18_422, signed_at: 1_795_000_000, witnesses: 2, time_stamped: false };
const entry = (of: LedgerEntry['sealed']): LedgerEntry => ({
  ...{ index: 7, entry_id: '01', type: 'trail.begun', recorded_at: 1_795_000_000 },
  ...{ actor_name: 'ada', summary: 'ada began trail r1', sealed: of },
});

it('a sealed entry names its checkpoint and counts its witnesses', () => {
  expect(sealWords('sealed', sealed)).toEqual(['sealed in checkpoint 18,422', '2 witnesses']);
  expect(sealWords('sealed', { ...sealed, witnesses: 1 })).toContain('1 witness');
  expect(sealWords('sealed', { ...sealed, witnesses: 0 })).toContain('no witness');
});

it('the epoch is named once there is a second one, because numbers begin anew', () => {
  expect(sealWords('sealed', { ...sealed, epoch: 3 })).toContain('sealed in checkpoint 18,422 of epoch 3');
});

it.each([
  ['signed', 'not sealed yet'],
  [undefined, 'not sealed yet'],
  ['unsigned', 'not sealed: no signing key'],
  ['stopped', 'not sealed: signing has stopped'],
] as const)('of an entry that is not sealed while signing is %s, it says: %s', (signing, words) => {
  expect(sealWords(sealStateOf(entry(null), signing), null)).toEqual([words]);
});

it('what was sealed before signing stopped stays sealed', () => {
  expect(sealStateOf(entry(sealed), 'stopped')).toBe('sealed');
});

it('an entry without an index is not in the ledger yet', () => {
  expect(sealWords(sealStateOf(undefined, 'signed'), undefined)).toEqual(['not in the ledger yet']);
});

it('the time of an erasure is not that of the record', () => {
  expect(recordedWords(entry(null))).toBe('Recorded');
  expect(recordedWords({ ...entry(null), type: 'attestation.erased' })).toBe('Content erased');
});
