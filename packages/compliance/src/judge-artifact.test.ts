import { describe, expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import type { Artifact, Attestation, TrailTemplate } from './trail.ts';
import { attested, fingerprintOf, NO_TEMPLATE, onFingerprint, onNamed, reported, trailOf } from './trail-examples.ts';

const BACKEND: TrailTemplate = {
  attestations: [{ name: 'ticket', type: 'jira' }],
  artifacts: [{ name: 'backend', attestations: [{ name: 'tests', type: 'junit' }] }],
};
const A = onFingerprint(fingerprintOf('a'));

function judged(template: TrailTemplate, artifacts: readonly Artifact[], attestations: readonly Attestation[]) {
  return judgeTrail(trailOf({ template, artifacts, attestations }));
}

function statuses(template: TrailTemplate, artifacts: readonly Artifact[], attestations: readonly Attestation[]) {
  return judged(template, artifacts, attestations).artifacts.map(({ name, artifactId, status, isCompliant }) => {
    return { name, artifactId, status, isCompliant };
  });
}

describe('the status of an artifact', () => {
  const here = [reported(1, 'backend', 'a', { commit: 'c1' })];

  it('is MISSING until it is reported, with its slots', () => {
    expect(judged(BACKEND, [], []).artifacts).toMatchObject([
      {
        name: 'backend',
        artifactId: null,
        fingerprint: null,
        status: 'MISSING',
        isCompliant: null,
        unexpected: false,
        superseded: false,
        attestations: [{ name: 'tests', status: 'MISSING' }],
      },
    ]);
  });

  it('is INCOMPLETE while one of its own attestations is missing', () => {
    expect(statuses(BACKEND, here, [attested(2, 'ticket', 'jira', true)])).toEqual([
      { name: 'backend', artifactId: 'artifact-1', status: 'INCOMPLETE', isCompliant: false },
    ]);
  });

  it('is COMPLIANT when nothing fails and nothing is missing', () => {
    const reports = [attested(2, 'tests', 'junit', true, { target: A }), attested(3, 'ticket', 'jira', true)];
    expect(judged(BACKEND, here, reports).artifacts).toMatchObject([
      { status: 'COMPLIANT', isCompliant: true, fingerprint: fingerprintOf('a'), attestations: [{ name: 'tests' }] },
    ]);
  });

  it('is INCOMPLETE while an attestation of the trail is missing, and says so', () => {
    const result = judged(BACKEND, here, [attested(2, 'tests', 'junit', true, { target: A })]);
    const because = "The trail lacks 'ticket': no attestation of that name has been reported.";
    const fix = "Report an attestation named 'ticket' of type jira on the trail.";
    expect(result.artifacts).toMatchObject([
      {
        status: 'INCOMPLETE',
        isCompliant: false,
        attestations: [{ name: 'tests', isCompliant: true }],
        explanation: { status: 'INCOMPLETE', because, fix, since: 1002 },
      },
    ]);
    expect(result).toMatchObject({ status: 'INCOMPLETE', explanation: { because, fix } });
  });

  it('is INCOMPLETE for requirements of the trail also when it is an extra itself', () => {
    expect(statuses(BACKEND, [reported(1, null, 'b')], [])).toMatchObject([
      { name: 'backend', status: 'MISSING' },
      { name: 'b.tar', status: 'INCOMPLETE' },
    ]);
  });

  it.each([
    ['a required attestation', attested(2, 'tests', 'junit', false, { target: A })],
    ['an attestation by name and commit', attested(2, 'tests', 'junit', false, { target: onNamed('backend', 'c1') })],
    ['an extra', attested(2, 'lint', 'generic', false, { target: A })],
    ['an attestation of the trail', attested(2, 'ticket', 'jira', false)],
    ['an extra of the trail', attested(2, 'lint', 'generic', false)],
  ])('is NON-COMPLIANT when %s fails, even if something is missing', (_, failing) => {
    expect(statuses(BACKEND, here, [failing])).toEqual([
      { name: 'backend', artifactId: 'artifact-1', status: 'NON-COMPLIANT', isCompliant: false },
    ]);
  });

  it('stays MISSING when an attestation of the trail fails', () => {
    expect(statuses(BACKEND, [], [attested(2, 'ticket', 'jira', false)])).toMatchObject([{ status: 'MISSING' }]);
  });

  it('is not affected by attestations about others', () => {
    const others = [
      attested(2, 'tests', 'junit', true, { target: A }),
      attested(3, 'tests', 'junit', false, { target: onFingerprint(fingerprintOf('b')) }),
      attested(4, 'tests', 'junit', false, { target: onNamed('backend', 'c2') }),
      attested(5, 'ticket', 'jira', true),
    ];
    expect(statuses(BACKEND, here, others)).toMatchObject([{ status: 'COMPLIANT' }]);
  });

  it.each([
    [A, onNamed('backend', 'c1')],
    [onNamed('backend', 'c1'), A],
  ])('combines reports by fingerprint and by name, in order of receipt', (first, second) => {
    const reports = [
      attested(3, 'tests', 'junit', false, { target: first }),
      attested(4, 'tests', 'junit', true, { target: second }),
    ];
    expect(judged(BACKEND, here, reports).artifacts[0]?.attestations).toMatchObject([
      { attestationId: 'tests-4', isCompliant: true },
    ]);
  });
});

describe('several artifacts', () => {
  it('the newest under a name fills the slot, and the older one is judged but does not count', () => {
    const artifacts = [reported(3, 'backend', 'b'), reported(1, 'backend', 'a')];
    const reports = [
      attested(2, 'tests', 'junit', false, { target: A }),
      attested(4, 'tests', 'junit', true, { target: onFingerprint(fingerprintOf('b')) }),
      attested(5, 'ticket', 'jira', true),
    ];
    const result = judged(BACKEND, artifacts, reports);
    expect(result.artifacts).toMatchObject([
      { name: 'backend', artifactId: 'artifact-3', status: 'COMPLIANT', superseded: false, unexpected: false },
      { name: 'backend', artifactId: 'artifact-1', status: 'NON-COMPLIANT', superseded: true, unexpected: false },
    ]);
    expect(result.status).toBe('COMPLIANT');
    expect(result.explanation.children.map(({ id }) => id)).toEqual([
      'trail/attestation:ticket',
      'trail/artifact:backend',
    ]);
    expect(result.artifacts[1]?.explanation.id).toBe('trail/artifact:backend@artifact-1');
  });

  it('a superseded artifact still lacks its requirements', () => {
    const artifacts = [reported(1, 'backend', 'a'), reported(3, 'backend', 'b')];
    expect(statuses(BACKEND, artifacts, []).map(({ status }) => status)).toEqual(['INCOMPLETE', 'INCOMPLETE']);
  });

  it('an extra artifact is unexpected, and the last of a name counts', () => {
    const artifacts = [reported(1, 'web', 'a'), reported(2, 'web', 'b'), reported(3, null, 'c')];
    expect(judged(NO_TEMPLATE, artifacts, [])).toMatchObject({
      status: 'COMPLIANT',
      artifacts: [
        { name: 'c.tar', artifactId: 'artifact-3', unexpected: true, superseded: false, status: 'COMPLIANT' },
        { name: 'web', artifactId: 'artifact-2', unexpected: true, superseded: false, status: 'COMPLIANT' },
        { name: 'web', artifactId: 'artifact-1', unexpected: true, superseded: true, status: 'COMPLIANT' },
      ],
    });
  });

  it('without a template name the identity is the fingerprint and not the file name', () => {
    const artifacts = [
      reported(1, null, 'a', { filename: 'app' }),
      reported(2, null, 'b', { filename: 'app' }),
      reported(3, null, 'a', { filename: 'other' }),
    ];
    expect(judged(NO_TEMPLATE, artifacts, []).artifacts).toMatchObject([
      { name: 'app', artifactId: 'artifact-2', superseded: false },
      { name: 'other', artifactId: 'artifact-3', superseded: false },
      { name: 'app', artifactId: 'artifact-1', superseded: true },
    ]);
  });

  it('an artifact without a template name does not fill the slot of an empty name', () => {
    const template = { attestations: [], artifacts: [{ name: '', attestations: [{ name: 'tests', type: 'junit' }] }] };
    expect(judged(template, [reported(1, null, 'a')], []).artifacts).toMatchObject([
      { name: '', status: 'MISSING', unexpected: false },
      { name: 'a.tar', status: 'COMPLIANT', unexpected: true, attestations: [] },
    ]);
  });

  it('a fingerprint reported under two names has both', () => {
    const artifacts = [reported(1, 'web', 'a'), reported(2, 'api', 'a')];
    expect(statuses(NO_TEMPLATE, artifacts, [attested(3, 'scan', 'snyk', false, { target: A })])).toMatchObject([
      { name: 'api', status: 'NON-COMPLIANT' },
      { name: 'web', status: 'NON-COMPLIANT' },
    ]);
  });
});

it('repeats a limited number of trail problems for each artifact', () => {
  const failing = Array.from({ length: 30 }, (_, number) => attested(10 + number, `check-${number}`, 'generic', false));
  const [first] = judged(NO_TEMPLATE, [reported(1, null, 'a')], failing).artifacts;
  expect(first).toMatchObject({ status: 'NON-COMPLIANT' });
  // The artifact itself, and ten of the trail.
  expect(first?.explanation.found).toHaveLength(11);
});
