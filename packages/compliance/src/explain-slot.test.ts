import { expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import type { Artifact, Attestation, RequiredAttestation } from './trail.ts';
import { attested, fingerprintOf, onFingerprint, overriding, reported, trailOf } from './trail-examples.ts';

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
    fix: "Run and fix the tests and report 'unit-tests' again on artifact 'backend', or override it with a reason.",
    since: 1001,
  });
});

const FAILING = attested(1, 'unit-tests', 'junit', false, { reasons: ['2 of 10 tests failed'] });

it('quotes the reason of an override, and shows the original', () => {
  expect(firstOnTrail([JUNIT], [FAILING, overriding(2, FAILING, true)])).toMatchObject({
    status: 'COMPLIANT',
    found: [
      { id: 'unit-tests-2', type: 'junit', isCompliant: true, at: 1002 },
      { id: 'unit-tests-1', type: 'junit', isCompliant: false, at: 1001 },
    ],
    because:
      "'unit-tests' (junit) was overridden as compliant: The scanner was wrong. " +
      'This replaces the verdict of an earlier report, which was not compliant: 2 of 10 tests failed.',
    fix: null,
    since: 1002,
  });
});

it('shows the first original of a chain of overrides', () => {
  const first = overriding(2, FAILING, true);
  expect(firstOnTrail([JUNIT], [FAILING, first, overriding(3, first, true)])?.found).toMatchObject([
    { id: 'unit-tests-3' },
    { id: 'unit-tests-1' },
  ]);
});

it('explains that an override replaces an unknown report', () => {
  const first = overriding(2, FAILING, true);
  const because =
    "'unit-tests' (junit) was overridden as compliant: The scanner was wrong. This replaces the verdict of an earlier report.";
  expect(firstOnTrail([JUNIT], [first])).toMatchObject({ because, found: [{ id: 'unit-tests-2' }] });
  expect(firstOnTrail([JUNIT], [first, overriding(3, first, true)])).toMatchObject({
    because,
    found: [{ id: 'unit-tests-3' }],
  });
});

it('gives the reason of a failing override once', () => {
  const passing = attested(1, 'unit-tests', 'junit', true);
  expect(firstOnTrail([JUNIT], [passing, overriding(2, passing, false, { reasons: ['ignored'] })])).toMatchObject({
    status: 'NON-COMPLIANT',
    because:
      "'unit-tests' (junit) was overridden as not compliant: The scanner was wrong. " +
      'This replaces the verdict of an earlier report, which was compliant.',
    fix: "Resolve why 'unit-tests' was overridden and report 'unit-tests' again, or override it with a reason.",
  });
});

it('distinguishes an extra from the slot of the same name', () => {
  const trail = trailOf({
    template: { attestations: [JUNIT], artifacts: [] },
    attestations: [attested(1, 'unit-tests', 'generic', false, { reasons: ['No.'] })],
  });
  expect(judgeTrail(trail).explanation.children[1]).toMatchObject({
    id: 'trail/attestation:unit-tests:generic',
    status: 'NON-COMPLIANT',
    needs: "Nothing: the template does not require 'unit-tests' of type generic, but reported evidence counts.",
    because:
      "'unit-tests' was reported as generic and is not compliant: No. " +
      "The template does not require 'unit-tests' of type generic, but failing evidence counts.",
  });
});
