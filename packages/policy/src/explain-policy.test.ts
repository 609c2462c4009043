import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import {
  artifactIn,
  asking,
  broken,
  decision,
  FINGERPRINT,
  failed,
  flow,
  IN_PRODUCTION,
  incomplete,
  passed,
  policyOf,
  tagged,
} from './decide-examples.ts';
import { readEvidence } from './decide-keys.ts';
import type { Judged } from './decision.ts';
import type { ArtifactEvidence } from './evidence.ts';
import { explainPolicy } from './explain-policy.ts';
import type { PolicyExplanation } from './explanation.ts';
import type { Policy } from './rule.ts';

const identity = { name: 'prod', version: 3 };
const TESTS = '{ name: unit-tests, type: junit }';

function explain(policy: Policy, evidence: ArtifactEvidence): PolicyExplanation {
  return explainPolicy('artifact', {
    policy,
    identity,
    evidence,
    judged: decide(policy, identity, evidence, IN_PRODUCTION),
  });
}

function ruleOf(policy: Policy, evidence: ArtifactEvidence): PolicyExplanation {
  const [rule] = explain(policy, evidence).children;
  if (!rule) throw new Error('there is no rule');
  return rule;
}

it('explains a policy, its rules and the evidence of each flow', () => {
  const evidence = artifactIn(flow('web', passed('unit-tests', 'junit', { id: 'a-1', at: 17 })));
  expect(explain(asking(TESTS), evidence)).toEqual({
    id: 'artifact/policy:prod',
    kind: 'policy',
    status: 'COMPLIANT',
    needs: "The one rule of policy 'prod', version 3.",
    found: [],
    because: '1 rule applied and satisfied.',
    fix: null,
    since: 17,
    children: [
      {
        id: 'artifact/policy:prod/rule:1',
        kind: 'rule',
        status: 'COMPLIANT',
        needs: "A compliant attestation named 'unit-tests' of type junit.",
        found: [
          {
            kind: 'attestation',
            id: 'a-1',
            name: 'unit-tests',
            type: 'junit',
            isCompliant: true,
            at: 17,
            control: null,
          },
        ],
        because: "In flow 'web', trail 'release-7', 'unit-tests' of type junit is compliant.",
        fix: null,
        since: 17,
        children: [
          {
            id: 'artifact/policy:prod/rule:1/flow:web/attestation:unit-tests:junit',
            kind: 'evidence',
            status: 'COMPLIANT',
            needs: "A compliant attestation named 'unit-tests' of type junit.",
            found: [
              {
                kind: 'attestation',
                id: 'a-1',
                name: 'unit-tests',
                type: 'junit',
                isCompliant: true,
                at: 17,
                control: null,
              },
            ],
            because: "In flow 'web', trail 'release-7', 'unit-tests' of type junit is compliant.",
            fix: null,
            since: 17,
            children: [],
          },
        ],
      },
    ],
  });
});

describe('a rule that is not satisfied', () => {
  it('lists the failures, and requires all of them fixed', () => {
    const inFlow = flow('web', failed('unit-tests', 'junit'), failed('e2e', 'junit'));
    const rule = ruleOf(asking('{ type: junit }'), artifactIn(inFlow));
    expect(rule).toMatchObject({ status: 'NON-COMPLIANT', since: 1_700_000_000 });
    expect(rule.because).toBe(
      "Policy 'prod' requires a compliant attestation of type junit. " +
        "In flow 'web', trail 'release-7', 'e2e' of type junit is not compliant: 3 of 200 tests failed. " +
        "In flow 'web', trail 'release-7', 'unit-tests' of type junit is not compliant: 3 of 200 tests failed.",
    );
    expect(rule.fix).toContain("report 'e2e' again");
    expect(rule.fix).toContain("report 'unit-tests' again");
  });

  it('requires one fix where it is missing in several flows', () => {
    const rule = ruleOf(asking(TESTS), artifactIn(flow('a'), flow('b')));
    expect(rule.children.map(({ status }) => status)).toEqual(['MISSING', 'MISSING']);
    expect(rule.fix).toBe(
      "Report an attestation named 'unit-tests' of type junit on the artifact in trail 'release-7' of flow 'a'. " +
        'One of the 2 flows is enough.',
    );
  });

  it('states the requirement once, then the problem in each flow', () => {
    const policy = explain(asking(TESTS), artifactIn(flow('a'), flow('b')));
    const asked = "Policy 'prod' requires a compliant attestation named 'unit-tests' of type junit.";
    const [inA, inB] = ['a', 'b'].map((name) => `In flow '${name}', trail 'release-7', there is none.`);
    expect(policy.because).toBe(`${asked} ${inA} ${inB}`);
    expect(policy.children[0]?.because).toBe(policy.because);
    expect(policy.children[0]?.children.map(({ because }) => because)).toEqual([`${asked} ${inA}`, `${asked} ${inB}`]);
  });

  it('mentions missing evidence that does not decide', () => {
    const rule = ruleOf(asking(TESTS), artifactIn(flow('a'), flow('b', failed('unit-tests', 'junit'))));
    expect(rule.children.map(({ status, fix }) => [status, fix === null])).toEqual([
      ['MISSING', true],
      ['NON-COMPLIANT', false],
    ]);
    expect(rule.children[0]?.because).toBe(
      "In flow 'a', trail 'release-7', it is missing; the failure in another flow decides.",
    );
  });

  it('explains that no flow knows the artifact', () => {
    const rule = ruleOf(policyOf('provenance: { required: true }'), { fingerprint: FINGERPRINT, flows: [] });
    expect(rule).toMatchObject({ status: 'NON-COMPLIANT', needs: 'Provenance.' });
    expect(rule.children).toMatchObject([
      {
        id: 'artifact/policy:prod/rule:1/without-provenance',
        status: 'MISSING',
        fix: expect.stringContaining('Report'),
      },
    ]);
  });

  it('quotes the reasons of a trail, and its fix', () => {
    const policy = policyOf('trail-compliance: { required: true }');
    expect(ruleOf(policy, artifactIn(broken(flow('web'))))).toMatchObject({
      because: expect.stringContaining('3 of 200 tests failed'),
      fix: "Run and fix the tests and report 'unit-tests' again.",
      found: [{ kind: 'artifact', id: 'artifact-web', name: FINGERPRINT, type: null, isCompliant: false, at: null }],
      children: [{ status: 'NON-COMPLIANT' }],
    });
    expect(ruleOf(policy, artifactIn(incomplete(flow('web')))).children[0]?.status).toBe('INCOMPLETE');
  });
});

describe('a rule that is satisfied', () => {
  it('is also satisfied for a flow that lacks it', () => {
    const rule = ruleOf(asking(TESTS), artifactIn(flow('a'), flow('b', passed('unit-tests', 'junit'))));
    expect(rule).toMatchObject({ status: 'COMPLIANT', fix: null, since: 1_700_000_000 });
    expect(rule.children[0]?.because).toBe(
      "In flow 'a', trail 'release-7', it is missing, which does not matter: another flow has it.",
    );
  });

  it('shows the report of the artifact, and the verdict of its trail', () => {
    const policy = policyOf('provenance: { required: true }\ntrail-compliance: { required: true }');
    const [provenance, trail] = explain(policy, artifactIn(flow('web'))).children;
    const report = { kind: 'artifact', id: 'artifact-web', name: FINGERPRINT, type: null, at: null, control: null };
    expect(provenance).toMatchObject({
      found: [{ ...report, isCompliant: null }],
      because: "The artifact was reported to flow 'web', in trail 'release-7'.",
      children: [{ found: [report] }],
    });
    expect(trail).toMatchObject({ found: [{ ...report, isCompliant: true }], children: [{ found: [report] }] });
  });

  it('names the control of a decision', () => {
    const rule = ruleOf(asking('{ type: decision, for_control: SDLC-7 }'), artifactIn(flow('web', decision('SDLC-7'))));
    expect(rule.found).toMatchObject([{ control: 'SDLC-7' }]);
    expect(rule.because).toContain("on control 'SDLC-7' is compliant");
  });

  it('explains that any report is enough', () => {
    const policy = asking('{ name: unit-tests, type: junit, must_be_compliant: false }');
    expect(ruleOf(policy, artifactIn(flow('web', failed('unit-tests', 'junit')))).because).toBe(
      "In flow 'web', trail 'release-7', 'unit-tests' of type junit exists, which is sufficient.",
    );
  });
});

it('explains why a rule does not apply', () => {
  const policy = asking(`{ ...${TESTS.slice(0, -1)}, if: '\${{ flow.tags.risk == "high" }}' }`.replace('...{', ''));
  const rule = ruleOf(policy, artifactIn(tagged({ risk: 'low' }, flow('web'))));
  expect(rule).toMatchObject({
    status: 'NOT-APPLICABLE',
    needs: "A compliant attestation named 'unit-tests' of type junit, if tag 'risk' of the flow is 'high'.",
    because: "The rule does not apply in flow 'web'.",
  });
  const excepted = policyOf('provenance: { required: true, exceptions: [{ if: \'${{ artifact.name == "x" }}\' }] }');
  const evidence = { fingerprint: FINGERPRINT, flows: [] };
  const judged = decide(excepted, identity, evidence, { artifactName: 'x', environment: null });
  expect(explainPolicy('a', { policy: excepted, identity, evidence, judged }).children).toMatchObject([
    {
      status: 'NOT-APPLICABLE',
      needs: "Provenance, except if the artifact's name is 'x'.",
      because: "The policy makes an exception if the artifact's name is 'x'.",
    },
  ]);
});

it('distinguishes evidence with one name', () => {
  const twice = flow(
    'web',
    failed('unit-tests', 'junit', { id: 'of-artifact' }),
    failed('unit-tests', 'junit', { id: 'of-trail' }),
  );
  const ids = ruleOf(asking(TESTS), artifactIn(twice)).children.map(({ id }) => id);
  expect(ids).toEqual([
    'artifact/policy:prod/rule:1/flow:web/attestation:unit-tests:junit',
    'artifact/policy:prod/rule:1/flow:web/attestation:unit-tests:junit~2',
  ]);
});

it('explains a stored decision the same way', () => {
  const policy = policyOf(
    `provenance: { required: true }\ntrail-compliance: { required: true }\nattestations: [${TESTS}]`,
  );
  const evidence = artifactIn(incomplete(flow('a')), broken(flow('b', failed('unit-tests', 'junit'))));
  const judged = decide(policy, identity, evidence, IN_PRODUCTION);
  const stored = JSON.parse(JSON.stringify(judged)) as Judged;
  const restored = readEvidence(JSON.stringify(evidence));
  expect(explainPolicy('x', { policy, identity, evidence: restored, judged: stored })).toEqual(
    explainPolicy('x', { policy, identity, evidence, judged }),
  );
});

it('mentions more flows than can be judged, which belongs to no rule', () => {
  const evidence = { ...artifactIn(flow('web', passed('unit-tests', 'junit'))), isCut: true } as const;
  const policy = explain(asking(TESTS), evidence);
  expect(policy).toMatchObject({
    status: 'NON-COMPLIANT',
    because: expect.stringContaining('more than 1 flows'),
    fix: 'Report the artifact only to the flow that builds it.',
    children: [{ status: 'COMPLIANT' }],
  });
  const broken = explain(asking(TESTS), { ...evidence, flows: [flow('web')] });
  expect(broken.children[0]?.because).toContain("In flow 'web', trail 'release-7', there is none.");
});

it('keeps reasons with their rules where there are too many for all', () => {
  const many = Array.from({ length: 150 }, (_, i) => flow(`flow-${i}`));
  const policy = asking(`${TESTS}, { type: sbom }`);
  const [first, second] = explain(policy, artifactIn(...many)).children;
  expect(first?.because).toContain("named 'unit-tests' of type junit. In flow 'flow-0'");
  expect(second).toMatchObject({
    status: 'NON-COMPLIANT',
    because:
      "Policy 'prod' requires a compliant attestation of type sbom. " +
      'This is not satisfied; there are too many reasons to list them all.',
  });
});

it('explains that a policy without rules requires nothing', () => {
  expect(explain(policyOf('provenance: { required: false }'), artifactIn())).toMatchObject({
    status: 'COMPLIANT',
    needs: "Nothing: policy 'prod', version 3, has no rules.",
    because: 'The policy requires nothing.',
    children: [],
  });
});
