import { expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import type { Attestation, RequiredAttestation } from './trail.ts';
import { attested, overriding, trailOf } from './trail-examples.ts';

const JUNIT = { name: 'tests', type: 'junit' };
const ANY = { name: 'tests', type: '*' };

function slots(required: readonly RequiredAttestation[], attestations: readonly Attestation[]) {
  const trail = trailOf({ template: { attestations: required, artifacts: [] }, attestations });
  return judgeTrail(trail).attestations;
}

it('a slot that nothing fills is missing, with the type of the template', () => {
  const missing = {
    status: 'MISSING',
    isCompliant: null,
    attestationId: null,
    overriddenAttestationId: null,
    unexpected: false,
  };
  expect(slots([JUNIT, { name: 'scan', type: '*' }], [])).toEqual([
    { name: 'tests', type: 'junit', ...missing },
    { name: 'scan', type: '*', ...missing },
  ]);
});

it('the newest report under a name counts, whatever its claimed time', () => {
  const reports = [
    attested(1, 'tests', 'junit', true, { receivedAt: 9999 }),
    attested(3, 'tests', 'junit', true),
    attested(2, 'tests', 'junit', false),
  ];
  expect(slots([JUNIT], reports)).toEqual([
    {
      name: 'tests',
      type: 'junit',
      status: 'COMPLETE',
      isCompliant: true,
      attestationId: 'tests-3',
      overriddenAttestationId: null,
      unexpected: false,
    },
  ]);
});

it('a report of another type does not fill the slot and counts as an extra', () => {
  expect(slots([JUNIT], [attested(1, 'tests', 'generic', true)])).toMatchObject([
    { name: 'tests', type: 'junit', status: 'MISSING', unexpected: false },
    { name: 'tests', type: 'generic', status: 'COMPLETE', attestationId: 'tests-1', unexpected: true },
  ]);
});

it('a slot for any type is filled by the newest report, and the others are superseded', () => {
  const reports = [attested(1, 'tests', 'junit', false), attested(2, 'tests', 'generic', true)];
  expect(slots([ANY], reports)).toMatchObject([{ type: 'generic', isCompliant: true, attestationId: 'tests-2' }]);
});

it('of extras only the newest of each name and type is listed, ordered by name and type', () => {
  const reports = [
    attested(1, 'lint', 'generic', false),
    attested(2, 'scan', 'snyk', true),
    attested(3, 'scan', 'generic', true),
    attested(4, 'lint', 'generic', true),
  ];
  expect(slots([], reports)).toMatchObject([
    { name: 'lint', type: 'generic', attestationId: 'lint-4', unexpected: true },
    { name: 'scan', type: 'generic', attestationId: 'scan-3', unexpected: true },
    { name: 'scan', type: 'snyk', attestationId: 'scan-2', unexpected: true },
  ]);
});

it('an override replaces the verdict and keeps the type of what it overrides', () => {
  const failed = attested(1, 'tests', 'junit', false);
  expect(slots([JUNIT], [failed, overriding(2, failed, true)])).toEqual([
    {
      name: 'tests',
      type: 'junit',
      status: 'COMPLETE',
      isCompliant: true,
      attestationId: 'tests-2',
      overriddenAttestationId: 'tests-1',
      unexpected: false,
    },
  ]);
});

it('an override of an override leads back to the first original', () => {
  const failed = attested(1, 'tests', 'junit', false);
  const first = overriding(2, failed, true);
  const second = overriding(3, first, false);
  expect(second.overrides?.type).toBe('override');
  expect(slots([JUNIT], [second, first, failed])).toMatchObject([
    { type: 'junit', isCompliant: false, attestationId: 'tests-3', overriddenAttestationId: 'tests-1' },
  ]);
});

it('an override of an unknown report has the type it names', () => {
  const gone = attested(1, 'tests', 'junit', false);
  expect(slots([JUNIT], [overriding(2, gone, true)])).toMatchObject([
    { type: 'junit', isCompliant: true, attestationId: 'tests-2', overriddenAttestationId: 'tests-1' },
  ]);
});

it('overrides that name each other terminate', () => {
  const one = attested(1, 'tests', 'override', true, { overrides: { id: 'tests-2', type: 'junit', reason: '' } });
  const two = attested(2, 'tests', 'override', false, { overrides: { id: 'tests-1', type: 'junit', reason: '' } });
  expect(slots([JUNIT], [one, two])).toMatchObject([
    { type: 'junit', isCompliant: false, attestationId: 'tests-2', overriddenAttestationId: 'tests-2' },
  ]);
});

it('an ordinary report after an override counts', () => {
  const failed = attested(1, 'tests', 'junit', false);
  const again = attested(3, 'tests', 'junit', false);
  expect(slots([JUNIT], [failed, overriding(2, failed, true), again])).toMatchObject([
    { isCompliant: false, attestationId: 'tests-3', overriddenAttestationId: null },
  ]);
});

it('an override of an older report does not cover a newer one, whichever was received last', () => {
  const [old, newer] = [attested(1, 'tests', 'junit', false), attested(2, 'tests', 'junit', false)];
  expect(slots([JUNIT], [old, newer, overriding(3, old, true)])).toMatchObject([
    { isCompliant: false, attestationId: 'tests-2', overriddenAttestationId: null },
  ]);
  expect(slots([JUNIT], [old, newer, overriding(3, newer, true), overriding(4, old, false)])).toMatchObject([
    { isCompliant: true, attestationId: 'tests-3', overriddenAttestationId: 'tests-2' },
  ]);
});

it('an override takes the place of its report among those of other types', () => {
  const [scan, tests] = [attested(1, 'tests', 'generic', false), attested(2, 'tests', 'junit', false)];
  const anyType = { name: 'tests', type: '*' };
  expect(slots([anyType], [scan, tests, overriding(3, scan, true)])).toMatchObject([
    { isCompliant: false, attestationId: 'tests-2' },
  ]);
  expect(slots([anyType], [scan, tests, overriding(3, tests, true)])).toMatchObject([
    { isCompliant: true, attestationId: 'tests-3' },
  ]);
});

it('an override of an unknown report covers no known one', () => {
  const failing = attested(1, 'tests', 'junit', false);
  const elsewhere = attested(0, 'tests', 'junit', false);
  for (const required of [JUNIT, { name: 'tests', type: '*' }]) {
    expect(slots([required], [failing, overriding(2, elsewhere, true)])).toMatchObject([
      { isCompliant: false, attestationId: 'tests-1' },
    ]);
  }
});
