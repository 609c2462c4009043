import { expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import type { Artifact, Attestation, RequiredAttestation } from './trail.ts';
import { attested, fingerprintOf, onFingerprint, onNamed, overriding, reported, trailOf } from './trail-examples.ts';

const JUNIT = { name: 'unit-tests', type: 'junit' };

function firstOnTrail(required: readonly RequiredAttestation[], attestations: readonly Attestation[]) {
  const trail = trailOf({ template: { attestations: required, artifacts: [] }, attestations });
  return judgeTrail(trail).explanation.children[0];
}

function onBackend(artifacts: readonly Artifact[], attestations: readonly Attestation[]) {
  const template = { attestations: [], artifacts: [{ name: 'backend', attestations: [JUNIT] }] };
  return judgeTrail(trailOf({ template, artifacts, attestations })).artifacts[0]?.explanation.children[0];
}

it('says which evidence met the requirement', () => {
  expect(firstOnTrail([JUNIT], [attested(1, 'unit-tests', 'junit', true, { reasons: ['ignored'] })])).toEqual({
    id: 'trail/attestation:unit-tests',
    kind: 'attestation',
    status: 'COMPLIANT',
    needs: "An attestation named 'unit-tests' of type junit.",
    found: [
      { kind: 'attestation', id: 'unit-tests-1', name: 'unit-tests', type: 'junit', isCompliant: true, at: 1001 },
    ],
    because: "'unit-tests' was reported as junit and is compliant.",
    fix: null,
    since: 1001,
    children: [],
  });
});

it('quotes the reasons of evidence that fails', () => {
  const failing = attested(1, 'unit-tests', 'junit', false, {
    target: onFingerprint(fingerprintOf('a')),
    reasons: ['2 of 10 tests failed'],
  });
  expect(onBackend([reported(2, 'backend', 'a')], [failing])).toMatchObject({
    id: 'trail/artifact:backend/attestation:unit-tests',
    status: 'NON-COMPLIANT',
    because: "'unit-tests' on artifact 'backend' was reported as junit and is not compliant: 2 of 10 tests failed.",
    fix: "Put right what 'unit-tests' on artifact 'backend' found and report it again, or override it with a reason.",
    since: 1001,
  });
});

it('quotes the reason of an override, and shows the original type', () => {
  const failing = attested(1, 'unit-tests', 'junit', false);
  expect(firstOnTrail([JUNIT], [failing, overriding(2, failing, true)])).toMatchObject({
    status: 'COMPLIANT',
    found: [{ id: 'unit-tests-2', type: 'junit' }],
    because: "'unit-tests' (junit) was overridden as compliant: The scanner was wrong.",
    fix: null,
    since: 1002,
  });
});

it('says what to report when nothing is there', () => {
  expect(firstOnTrail([{ name: 'scan', type: '*' }], [])).toEqual({
    id: 'trail/attestation:scan',
    kind: 'attestation',
    status: 'MISSING',
    needs: "An attestation named 'scan' of any type.",
    found: [],
    because: "No attestation named 'scan' has been reported.",
    fix: "Report an attestation named 'scan' of any type.",
    since: null,
    children: [],
  });
});

it('says that it was reported as another type', () => {
  expect(firstOnTrail([JUNIT], [attested(1, 'unit-tests', 'generic', true)])).toMatchObject({
    status: 'MISSING',
    found: [{ id: 'unit-tests-1', type: 'generic' }],
    because: "'unit-tests' was reported as generic, the template asks for junit.",
    fix: "Report 'unit-tests' as junit, or change the template to ask for generic.",
    since: null,
  });
});

it('says that a name like it was reported', () => {
  expect(firstOnTrail([JUNIT], [attested(1, 'unit-test', 'junit', true)])?.because).toBe(
    "No attestation named 'unit-tests' has been reported; 'unit-test' was, which the template does not ask for.",
  );
});

it('says that it was reported for a commit that is not here', () => {
  const elsewhere = attested(2, 'unit-tests', 'junit', true, { target: onNamed('backend', '5d6e7f8a9b') });
  const expected = {
    status: 'MISSING',
    found: [{ id: 'unit-tests-2' }],
    because: "'unit-tests' was reported for artifact 'backend' of commit 5d6e7f8, which is not in this trail.",
  };
  expect(onBackend([reported(1, 'backend', 'a', { commit: '1a2b3c4' })], [elsewhere])).toMatchObject(expected);
  expect(onBackend([], [elsewhere])).toMatchObject(expected);
});

it('tells an extra from the slot of the same name', () => {
  const trail = trailOf({
    template: { attestations: [JUNIT], artifacts: [] },
    attestations: [attested(1, 'unit-tests', 'generic', false, { reasons: ['No.'] })],
  });
  expect(judgeTrail(trail).explanation.children[1]).toMatchObject({
    id: 'trail/attestation:unit-tests:generic',
    status: 'NON-COMPLIANT',
    needs: "Nothing: the template does not ask for 'unit-tests', but what is reported counts.",
    because:
      "'unit-tests' was reported as generic and is not compliant: No. The template does not ask for it, but what fails counts.",
  });
});
