import { describe, expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import type { Artifact, Attestation, RequiredAttestation } from './trail.ts';
import { attested, fingerprintOf, onFingerprint, onNamed, reported, trailOf } from './trail-examples.ts';

const JUNIT = { name: 'unit-tests', type: 'junit' };
const A = onFingerprint(fingerprintOf('a'));

function firstOnTrail(required: readonly RequiredAttestation[], attestations: readonly Attestation[]) {
  const trail = trailOf({ template: { attestations: required, artifacts: [] }, attestations });
  return judgeTrail(trail).explanation.children[0];
}

function onApp(
  artifacts: readonly Artifact[],
  attestations: readonly Attestation[],
  ofTrail: readonly RequiredAttestation[] = [],
) {
  const template = { attestations: ofTrail, artifacts: [{ name: 'app', attestations: [JUNIT] }] };
  return judgeTrail(trailOf({ template, artifacts, attestations })).artifacts.map(
    ({ explanation }) => explanation.children[0],
  );
}

it('explains what to report when there is nothing', () => {
  expect(firstOnTrail([{ name: 'scan', type: '*' }], [])).toEqual({
    id: 'trail/attestation:scan',
    kind: 'attestation',
    status: 'MISSING',
    needs: "An attestation named 'scan' of any type.",
    found: [],
    because: "The trail lacks 'scan': no attestation of that name has been reported.",
    fix: "Report an attestation named 'scan' of any type on the trail.",
    since: null,
    children: [],
  });
});

it('says that it was reported as another type', () => {
  expect(firstOnTrail([JUNIT], [attested(1, 'unit-tests', 'generic', true)])).toMatchObject({
    status: 'MISSING',
    found: [{ id: 'unit-tests-1', type: 'generic' }],
    because: "The trail lacks 'unit-tests': it was reported as generic, but the template requires junit.",
    fix: "Report 'unit-tests' as junit, or change the template to require generic.",
    since: null,
  });
});

it('says that a name like it was reported', () => {
  expect(firstOnTrail([JUNIT], [attested(1, 'unit-test', 'junit', true)])?.because).toBe(
    "The trail lacks 'unit-tests': no attestation of that name has been reported; 'unit-test' was, which the template does not require.",
  );
});

it('a name that is required with another type is not taken for a typo', () => {
  const required = [JUNIT, { name: 'unit-test', type: 'junit' }];
  expect(firstOnTrail(required, [attested(1, 'unit-test', 'generic', true)])?.because).toBe(
    "The trail lacks 'unit-tests': no attestation of that name has been reported.",
  );
});

it('explains that it was reported for another commit', () => {
  const elsewhere = attested(2, 'unit-tests', 'junit', true, { target: onNamed('app', '5d6e7f8a9b') });
  const expected = {
    status: 'MISSING',
    found: [{ id: 'unit-tests-2' }],
    because:
      "Artifact 'app' lacks 'unit-tests': it was reported for artifact 'app' of commit 5d6e7f8, which is not in this trail.",
  };
  expect(onApp([reported(1, 'app', 'a', { commit: '1a2b3c4' })], [elsewhere])).toMatchObject([expected]);
  expect(onApp([], [elsewhere])).toMatchObject([expected]);
});

describe('the same name at the other level', () => {
  const onTrail = attested(2, 'unit-tests', 'junit', true);
  const here = [reported(1, 'app', 'a')];

  it('is mentioned for an artifact', () => {
    expect(onApp(here, [onTrail])).toMatchObject([
      {
        status: 'MISSING',
        found: [{ id: 'unit-tests-2' }],
        because: "Artifact 'app' lacks 'unit-tests': it was reported as junit on the trail, but not on artifact 'app'.",
        fix: "Report an attestation named 'unit-tests' of type junit on artifact 'app', or change the template to require it on the trail.",
        since: null,
      },
    ]);
  });

  it('is mentioned for the trail, the newest of several', () => {
    const trail = trailOf({
      template: { attestations: [{ name: 'ticket', type: 'jira' }], artifacts: [] },
      artifacts: [reported(1, 'app', 'a'), reported(2, 'web', 'b')],
      attestations: [
        attested(4, 'ticket', 'jira', true, { target: A }),
        attested(3, 'ticket', 'jira', true, { target: onFingerprint(fingerprintOf('b')) }),
      ],
    });
    expect(judgeTrail(trail).explanation.children[0]).toMatchObject({
      found: [{ id: 'ticket-4' }],
      because: "The trail lacks 'ticket': it was reported as jira on artifact 'app', but not on the trail.",
      fix: "Report an attestation named 'ticket' of type jira on the trail, or change the template to require it on artifact 'app'.",
    });
  });

  it('is not mentioned when the template requires it there as well', () => {
    expect(onApp(here, [onTrail], [JUNIT])[0]?.because).toBe(
      "Artifact 'app' lacks 'unit-tests': no attestation of that name has been reported.",
    );
    const filled = trailOf({
      template: { attestations: [JUNIT], artifacts: [{ name: 'app', attestations: [JUNIT] }] },
      artifacts: here,
      attestations: [{ ...onTrail, target: A }],
    });
    expect(judgeTrail(filled).explanation.children[0]?.because).toBe(
      "The trail lacks 'unit-tests': no attestation of that name has been reported.",
    );
  });
});

describe('a report for an earlier build', () => {
  const builds = [reported(1, 'app', 'a'), reported(3, 'app', 'b')];

  it('is mentioned for the newest build, before one on the trail', () => {
    const reports = [attested(2, 'unit-tests', 'junit', true, { target: A }), attested(4, 'unit-tests', 'junit', true)];
    expect(onApp(builds, reports)[0]).toMatchObject({
      found: [{ id: 'unit-tests-2' }],
      because:
        "Artifact 'app' lacks 'unit-tests': it was reported as junit for an earlier build of 'app' (fingerprint aaaaaaaaaaaa), but not for the newest.",
      fix: "Report an attestation named 'unit-tests' of type junit on artifact 'app' for the newest build too.",
    });
  });

  it('is not mentioned for another superseded build', () => {
    const three = [...builds, reported(5, 'app', 'c')];
    const becauses = onApp(three, [
      attested(4, 'unit-tests', 'junit', true, { target: onFingerprint(fingerprintOf('b')) }),
    ]);
    expect(becauses.map((node) => node?.because)).toEqual([
      "Artifact 'app' lacks 'unit-tests': it was reported as junit for an earlier build of 'app' (fingerprint bbbbbbbbbbbb), but not for the newest.",
      "Artifact 'app' lacks 'unit-tests': no attestation of that name has been reported.",
      "'unit-tests' on artifact 'app' was reported as junit and is compliant.",
    ]);
  });
});
