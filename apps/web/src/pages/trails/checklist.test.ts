import { expect, test } from 'vitest';
import { explained, missing, slot, trailWith } from '../../pictures/evidence-chain-given.ts';
import { checklistOf, checkOf, tallyOf, tallyWords } from './checklist.ts';

const trail = trailWith([slot('pr', 'pull_request')], {
  web: [slot('tests', 'junit', missing), slot('extra', 'generic', { is_compliant: false, unexpected: true })],
});
const web = explained('trail/artifact:web', 'artifact', {
  found: [{ kind: 'artifact', id: 'artifact-web', name: 'web', type: null, is_compliant: null, at: 1 }],
  children: [
    explained('trail/artifact:web/attestation:tests', 'attestation', { fix: 'Report it.' }),
    explained('trail/artifact:web/attestation:extra:generic', 'attestation'),
  ],
});

test('the trail first, then each artifact, each with its reason', () => {
  const groups = checklistOf(trail, explained('trail', 'trail', { children: [web] }));
  expect(groups.map(({ title }) => title)).toEqual(['Whole trail', 'web']);
  expect(groups[1]?.checks).toMatchObject([
    { name: 'tests', word: 'Missing', isRequired: true, fix: 'Report it.' },
    {
      name: 'extra',
      word: 'Fails',
      isRequired: false,
      because: 'because of trail/artifact:web/attestation:extra:generic',
    },
  ]);
});

test('what the template does not require counts only if it fails', () => {
  const tally = tallyOf(checklistOf(trail, undefined));
  expect(tally).toEqual({ passing: 1, required: 2, failing: 1, missing: 1 });
  expect(tallyWords(tally, 'none')).toBe('1 fails, 1 is missing, 1 of 2 required pass');
});

test('an override is marked, and counts as passing', () => {
  const check = checkOf(slot('scan', 'snyk', { overridden_attestation_id: 'before' }), undefined);
  expect(check).toMatchObject({ state: 'waived', word: 'Overridden' });
  expect(tallyOf([{ checks: [check] }])).toEqual({ passing: 1, required: 1, failing: 0, missing: 0 });
});

test('the words for a template that requires nothing, and for one that is met while others fail', () => {
  expect(tallyWords({ passing: 0, required: 0, failing: 0, missing: 0 }, 'None required')).toBe('None required');
  expect(tallyWords({ passing: 6, required: 6, failing: 2, missing: 0 }, '')).toBe('2 fail, 6 of 6 required pass');
});
