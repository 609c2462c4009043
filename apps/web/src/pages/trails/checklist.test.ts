import { expect, test } from 'vitest';
import { explained, missing, slot, trailWith } from '../../pictures/evidence-chain-given.ts';
import { checklistOf, checkOf, tallyOf } from './checklist.ts';

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

test('what the template does not require is not counted', () => {
  expect(tallyOf(checklistOf(trail, undefined))).toEqual({ passing: 1, required: 2 });
});

test('an override is marked, and counts as passing', () => {
  const check = checkOf(slot('scan', 'snyk', { overridden_attestation_id: 'before' }), undefined);
  expect(check).toMatchObject({ state: 'waived', word: 'Overridden' });
  expect(tallyOf([{ checks: [check] }])).toEqual({ passing: 1, required: 1 });
});
