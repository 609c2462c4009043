import { describe, expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import type { Artifact, Attestation, TrailTemplate } from './trail.ts';
import { attested, fingerprintOf, onFingerprint, onNamed, overriding, reported, trailOf } from './trail-examples.ts';

const TEMPLATE: TrailTemplate = {
  attestations: [{ name: 'ticket', type: 'jira' }],
  artifacts: [
    {
      name: 'backend',
      attestations: [
        { name: 'tests', type: 'junit' },
        { name: 'sbom', type: '*' },
      ],
    },
  ],
};
const A = onFingerprint(fingerprintOf('a'));
const TICKET = attested(1, 'ticket', 'jira', true);
const BACKEND = reported(2, 'backend', 'a');
const TESTS = attested(3, 'tests', 'junit', true, { target: A });
const SBOM = attested(4, 'sbom', 'sbom', true, { target: A });

describe('the status of a trail', () => {
  it.each([
    ['all that is asked for is there', [TICKET, TESTS, SBOM], [BACKEND], 'COMPLIANT'],
    ['nothing is there', [], [], 'INCOMPLETE'],
    ['an attestation of the trail is missing', [TESTS, SBOM], [BACKEND], 'INCOMPLETE'],
    ['an artifact is missing', [TICKET], [], 'INCOMPLETE'],
    ['an attestation of an artifact is missing', [TICKET, TESTS], [BACKEND], 'INCOMPLETE'],
    ['a slot fails and others are missing', [{ ...TICKET, isCompliant: false }], [], 'NON-COMPLIANT'],
    ['an artifact fails', [TICKET, TESTS, { ...SBOM, isCompliant: false }], [BACKEND], 'NON-COMPLIANT'],
    ['an extra fails', [TICKET, TESTS, SBOM, attested(5, 'x', 'generic', false)], [BACKEND], 'NON-COMPLIANT'],
    ['an extra passes', [TICKET, TESTS, SBOM, attested(5, 'x', 'generic', true)], [BACKEND], 'COMPLIANT'],
  ])('when %s', (_, attestations, artifacts, status) => {
    const judgement = judgeTrail(trailOf({ template: TEMPLATE, attestations, artifacts }));
    expect(judgement.status).toBe(status);
    expect(judgement.isCompliant).toBe(status === 'COMPLIANT');
    expect(judgement.explanation.status).toBe(status);
  });

  it('fails with an unexpected artifact', () => {
    const attestations = [attested(2, 'scan', 'snyk', false, { target: A })];
    expect(judgeTrail(trailOf({ attestations, artifacts: [reported(1, null, 'a')] })).status).toBe('NON-COMPLIANT');
  });
});

describe('the explanation of a trail', () => {
  it('is compliant when nothing is required and nothing was reported, and says so', () => {
    expect(judgeTrail(trailOf())).toEqual({
      status: 'COMPLIANT',
      isCompliant: true,
      attestations: [],
      evidence: [],
      artifacts: [],
      unplaced: [],
      explanation: {
        id: 'trail',
        kind: 'trail',
        status: 'COMPLIANT',
        needs: 'Nothing: the template has no requirements.',
        found: [],
        because: 'Nothing is required and nothing has been reported, so nothing fails.',
        fix: null,
        since: null,
        children: [],
      },
    });
  });

  it('explains that the flow was created by its evidence', () => {
    const trail = trailOf({ autoCreated: true, attestations: [TICKET] });
    expect(judgeTrail(trail).explanation.because).toBe(
      'This trail was created by its evidence: the flow did not exist when evidence arrived, so nothing is required. ' +
        'Nothing is required, and nothing that counts fails.',
    );
    expect(judgeTrail({ ...trail, template: TEMPLATE }).explanation.because).toContain('and got its template later. ');
  });

  it('is a tree of requirements and findings', () => {
    const { explanation } = judgeTrail(
      trailOf({ template: TEMPLATE, attestations: [TICKET, TESTS, SBOM], artifacts: [BACKEND] }),
    );
    expect(explanation).toMatchObject({
      needs: '1 attestation and 1 artifact.',
      because: 'Everything that the template requires is present, and nothing that counts fails.',
      fix: null,
      since: 1004,
      children: [
        { id: 'trail/attestation:ticket', status: 'COMPLIANT' },
        {
          id: 'trail/artifact:backend',
          kind: 'artifact',
          status: 'COMPLIANT',
          needs: "An artifact named 'backend', with 'tests' of type junit and 'sbom' of any type.",
          found: [{ kind: 'artifact', id: 'artifact-2', name: 'backend', type: null, isCompliant: null, at: 1002 }],
          because: "Artifact 'backend' (aaaaaaaaaaaa) is present, and all 2 attestations are compliant.",
          fix: null,
          since: 1004,
          children: [
            { id: 'trail/artifact:backend/attestation:tests', since: 1003 },
            { id: 'trail/artifact:backend/attestation:sbom', since: 1004 },
          ],
        },
      ],
    });
  });

  it('counts overridden attestations', () => {
    const overridden = [TESTS, SBOM].map((it, number) => overriding(5 + number, { ...it, isCompliant: false }, true));
    const { explanation, artifacts } = judgeTrail(
      trailOf({ template: TEMPLATE, attestations: [TICKET, ...overridden], artifacts: [BACKEND] }),
    );
    expect(explanation.because).toBe(
      'Everything that the template requires is present, and nothing that counts fails. 2 attestations were overridden as compliant.',
    );
    expect(artifacts[0]?.explanation.because).toBe(
      "Artifact 'backend' (aaaaaaaaaaaa) is present, and all 2 attestations are compliant, 2 by an override.",
    );
  });

  it('counts an override about two artifacts once, and none of superseded ones', () => {
    const overridden = overriding(4, { ...TESTS, isCompliant: false }, true);
    const because = (artifacts: readonly Artifact[]) =>
      judgeTrail(trailOf({ attestations: [overridden], artifacts })).explanation.because;
    expect(because([reported(1, 'web', 'a'), reported(2, 'api', 'a')])).toBe(
      'Nothing is required, and nothing that counts fails. 1 attestation was overridden as compliant.',
    );
    expect(because([reported(1, 'web', 'a'), reported(2, 'web', 'b')])).toBe(
      'Nothing is required, and nothing that counts fails.',
    );
  });

  it('an override by name covers no other artifact of that name and commit than the one whose report it names', () => {
    const artifacts = [reported(1, 'web', 'a', { commit: 'c1' }), reported(2, null, 'b', { commit: 'c1' })];
    const both = [...artifacts, reported(3, 'web', 'b', { commit: 'c1' }), reported(4, 'api', 'a')];
    const [first, second] = ['a', 'b'].map((letter, number) =>
      attested(5 + number, 'lint', 'generic', false, { target: onFingerprint(fingerprintOf(letter)) }),
    ) as [Attestation, Attestation];
    const overridden = overriding(7, second, true, { target: onNamed('web', 'c1') });
    const result = judgeTrail(trailOf({ attestations: [first, second, overridden], artifacts: both }));
    expect(result.status).toBe('NON-COMPLIANT');
    const statusOf = (letter: string) =>
      result.artifacts.filter((it) => it.fingerprint === fingerprintOf(letter)).map(({ status }) => status);
    expect(statusOf('a')).toEqual(['NON-COMPLIANT', 'NON-COMPLIANT']);
    expect(statusOf('b')).toContain('COMPLIANT');
  });

  it('names missing evidence once, with a fix', () => {
    const { explanation } = judgeTrail(trailOf({ template: TEMPLATE, attestations: [TESTS], artifacts: [BACKEND] }));
    const because =
      "The trail lacks 'ticket': no attestation of that name has been reported. " +
      "Artifact 'backend' lacks 'sbom': no attestation of that name has been reported.";
    const fix =
      "Report an attestation named 'ticket' of type jira on the trail. " +
      "Report an attestation named 'sbom' of any type on artifact 'backend'.";
    expect(explanation).toMatchObject({ status: 'INCOMPLETE', because, fix, since: 1003 });
  });

  it('reports a missing artifact once, with what depends on it', () => {
    const pending = [
      attested(3, 'tests', 'junit', true, { target: onNamed('backend', '5d6e7f8a9b') }),
      attested(4, 'sbom', 'sbom', true, { target: onNamed('backend', '5d6e7f8a9b') }),
    ];
    const artifacts = [reported(2, 'back-end', 'a')];
    const { explanation } = judgeTrail(trailOf({ template: TEMPLATE, attestations: [TICKET, ...pending], artifacts }));
    expect(explanation).toMatchObject({
      because:
        "No artifact named 'backend' has been reported; 'back-end' was, which the template does not require. " +
        '2 attestations wait for it, of commit 5d6e7f8.',
      fix: "Report an artifact with the template name 'backend'.",
      since: 1002,
    });
  });

  it('suggests an extra artifact for a missing one', () => {
    const template = { attestations: [], artifacts: ['app-1', 'app-2'].map((name) => ({ name, attestations: [] })) };
    const because = (artifacts: readonly Artifact[]) =>
      judgeTrail(trailOf({ template, artifacts })).explanation.because;
    expect(because([reported(1, 'app-1', 'a')])).toBe("No artifact named 'app-2' has been reported.");
    expect(because([reported(1, 'app-1', 'a'), reported(2, null, 'b', { filename: 'app-2' })])).toBe(
      "No artifact named 'app-2' has been reported; a file of that name was, without a template name.",
    );
  });

  it('puts failures before what is missing, and dates them by what failed', () => {
    const failing = { ...TESTS, isCompliant: false, reasons: ['1 test failed.'] };
    const { explanation } = judgeTrail(
      trailOf({ template: TEMPLATE, attestations: [failing, attested(9, 'x', 'generic', true)], artifacts: [BACKEND] }),
    );
    expect(explanation.because).toBe(
      "'tests' on artifact 'backend' was reported as junit and is not compliant: 1 test failed. " +
        "The trail lacks 'ticket': no attestation of that name has been reported. " +
        "Artifact 'backend' lacks 'sbom': no attestation of that name has been reported.",
    );
    expect(explanation.since).toBe(1003);
  });

  it('a failing attestation of the trail is a problem of each artifact and one problem of the trail', () => {
    const failing = { ...TICKET, isCompliant: false, reasons: ['PROJ-1 does not exist'] };
    const because = "'ticket' was reported as jira and is not compliant: PROJ-1 does not exist.";
    const judgement = judgeTrail(
      trailOf({ template: TEMPLATE, attestations: [failing, TESTS, SBOM], artifacts: [BACKEND] }),
    );
    expect(judgement.explanation.because).toBe(because);
    expect(judgement.artifacts[0]?.explanation).toMatchObject({
      status: 'NON-COMPLIANT',
      because,
      found: [{ id: 'artifact-2' }, { id: 'ticket-1' }],
      since: 1001,
    });
  });

  it('stays short when much fails', () => {
    const attestations = Array.from({ length: 10 }, (_, n) => attested(n, `check-${n}`, 'generic', false));
    const { because, fix } = judgeTrail(trailOf({ attestations })).explanation;
    expect(because).toContain("'check-2'");
    expect(because).not.toContain("'check-3'");
    expect(because.endsWith(' And 7 more fail.')).toBe(true);
    expect(fix?.endsWith(' Then fix 7 more problems.')).toBe(true);
  });

  it('explains that a superseded artifact does not count', () => {
    const { artifacts } = judgeTrail(trailOf({ artifacts: [reported(1, 'web', 'a'), reported(2, 'web', 'b')] }));
    expect(artifacts[1]?.explanation.because).toBe(
      "Artifact 'web' (aaaaaaaaaaaa) is present, and nothing fails. The template does not require this artifact. " +
        "A newer report of 'web' is in this trail, so this one does not count.",
    );
  });
});
