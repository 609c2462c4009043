import { expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import type { Artifact, Attestation, TrailTemplate } from './trail.ts';
import { attested, fingerprintOf, onFingerprint, onNamed, overriding, reported, trailOf } from './trail-examples.ts';

const BACKEND: TrailTemplate = { attestations: [], artifacts: [{ name: 'backend', attestations: [] }] };
const HERE = [reported(1, 'backend', 'a', { commit: 'c1' })];

function judged(attestations: readonly Attestation[], artifacts: readonly Artifact[] = HERE) {
  return judgeTrail(trailOf({ template: BACKEND, artifacts, attestations }));
}

function tests(receipt: number, isCompliant: boolean, artifact: string, commit: string): Attestation {
  return attested(receipt, 'tests', 'junit', isCompliant, { target: onNamed(artifact, commit) });
}

it('lists reports about unknown artifacts', () => {
  expect(judged([tests(2, true, 'backend', 'c2'), tests(3, true, 'bakend', 'c1')]).unplaced).toEqual([
    {
      attestationId: 'tests-2',
      name: 'tests',
      artifact: 'backend',
      commit: 'c2',
      state: 'pending',
      hints: ["artifact 'backend' is in this trail, but it was built from commit c1, but the attestation is about c2"],
    },
    {
      attestationId: 'tests-3',
      name: 'tests',
      artifact: 'bakend',
      commit: 'c1',
      state: 'unbound',
      hints: ["the template has 'backend', but you sent 'bakend'", "an artifact named 'backend' is in this trail"],
    },
  ]);
});

it('binds when the artifact arrives later', () => {
  const report = tests(1, true, 'backend', 'c2');
  const late = reported(2, 'backend', 'b', { commit: 'c2' });
  expect(judged([report], []).unplaced).toMatchObject([{ state: 'pending', hints: [] }]);
  expect(judged([report], [late])).toMatchObject({
    status: 'COMPLIANT',
    unplaced: [],
    artifacts: [{ attestations: [{ attestationId: 'tests-1' }] }],
  });
});

it('one that passes does not count, and names what it waits for', () => {
  const result = judged([tests(2, true, 'bakend', 'c1')]);
  expect(result.status).toBe('COMPLIANT');
  expect(result.explanation.children.at(-1)).toEqual({
    id: 'trail/unplaced:bakend@c1/attestation:tests:junit',
    kind: 'unplaced',
    status: 'MISSING',
    needs: "The artifact that 'tests' is about: artifact 'bakend' of commit c1.",
    found: [{ kind: 'attestation', id: 'tests-2', name: 'tests', type: 'junit', isCompliant: true, at: 1002 }],
    because:
      "'tests' for artifact 'bakend' of commit c1 was reported as junit and is compliant. " +
      'That artifact is not in this trail. ' +
      "Nearest: the template has 'backend', but you sent 'bakend'; an artifact named 'backend' is in this trail.",
    fix: "Report artifact 'bakend' of commit c1, or report 'tests' again for an artifact of this trail.",
    since: 1002,
    children: [],
  });
});

it('one that fails makes the trail fail', () => {
  const result = judged([tests(2, false, 'bakend', 'c1')]);
  expect(result).toMatchObject({ status: 'NON-COMPLIANT', isCompliant: false, artifacts: [{ status: 'COMPLIANT' }] });
  expect(result.explanation).toMatchObject({
    since: 1002,
    fix: "Run and fix the tests and report 'tests' again for artifact 'bakend', or override it with a reason.",
  });
});

it.each([
  ['for another commit that is not here', tests(3, true, 'bakend', 'c9'), 'COMPLIANT'],
  ['that is overridden', overriding(3, tests(2, false, 'bakend', 'c1'), true), 'COMPLIANT'],
  ['that fails again', tests(3, false, 'bakend', 'c9'), 'NON-COMPLIANT'],
  ['for another artifact', tests(3, true, 'backend', 'c1'), 'NON-COMPLIANT'],
  ['of another type', { ...tests(3, true, 'bakend', 'c9'), type: 'generic' }, 'NON-COMPLIANT'],
  ['of another name', { ...tests(3, true, 'bakend', 'c9'), name: 'other' }, 'NON-COMPLIANT'],
  ['on the trail', attested(3, 'tests', 'junit', true), 'NON-COMPLIANT'],
  ['that is older', tests(1, true, 'bakend', 'c9'), 'NON-COMPLIANT'],
])('after a failing one comes a report %s', (_, next, status) => {
  expect(judged([tests(2, false, 'bakend', 'c1'), next]).status).toBe(status);
});

it('a newer report about a known artifact replaces a failing one', () => {
  const failing = tests(2, false, 'backend', 'c2');
  expect(judged([failing]).status).toBe('NON-COMPLIANT');
  expect(judged([failing, tests(3, true, 'backend', 'c1')]).status).toBe('COMPLIANT');
  const byFingerprint = attested(3, 'tests', 'junit', true, { target: onFingerprint(fingerprintOf('a')) });
  const result = judged([failing, byFingerprint]);
  expect(result.status).toBe('COMPLIANT');
  expect(result.unplaced).toMatchObject([{ attestationId: 'tests-2' }]);
  expect(result.explanation.children.at(-1)?.because).toContain('A newer report supersedes this one.');
});

it('an overridden one comes with the original', () => {
  const failing = tests(2, false, 'bakend', 'c1');
  const result = judged([failing, overriding(3, failing, true)]);
  expect(result.explanation.children.at(-1)?.found).toMatchObject([{ id: 'tests-3' }, { id: 'tests-2' }]);
  expect(result.explanation.because).toBe(
    'Everything that the template requires is present, and nothing that counts fails. 1 attestation was overridden as compliant.',
  );
});

it('an override of an older report does not replace a failing one about another commit', () => {
  const [older, failing] = [tests(2, false, 'bakend', 'c1'), tests(3, false, 'bakend', 'c9')];
  expect(judged([older, failing, overriding(4, older, true)]).status).toBe('NON-COMPLIANT');
  expect(judged([older, failing, overriding(4, failing, true)]).status).toBe('COMPLIANT');
});

it('of reports about one target only the newest is listed', () => {
  const result = judged([tests(2, false, 'bakend', 'c1'), tests(3, true, 'bakend', 'c1')]);
  expect(result.unplaced.map(({ attestationId }) => attestationId)).toEqual(['tests-3']);
  expect(result.status).toBe('COMPLIANT');
});

it('a failing report about an unknown fingerprint is never lost', () => {
  const lost = attested(2, 'tests', 'junit', false, { target: onFingerprint(fingerprintOf('f')) });
  expect(judged([lost])).toMatchObject({
    status: 'NON-COMPLIANT',
    unplaced: [{ artifact: fingerprintOf('f'), commit: '', state: 'unbound' }],
  });
});
