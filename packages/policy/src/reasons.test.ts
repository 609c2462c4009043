import { expect, it } from 'vitest';
import { decide } from './decide.ts';
import {
  artifactIn,
  asking,
  broken,
  by,
  decision,
  FINGERPRINT,
  failed,
  flow,
  IN_PRODUCTION,
  incomplete,
  passed,
  policyOf,
  pullRequest,
  pullRequests,
  reviewed,
} from './decide-examples.ts';
import type { Reason } from './decision.ts';
import type { ArtifactEvidence, FlowEvidence } from './evidence.ts';
import type { Policy } from './rule.ts';

function reasonsFor(policy: Policy, evidence: ArtifactEvidence): readonly Reason[] {
  return decide(policy, { name: 'prod', version: 3 }, evidence, IN_PRODUCTION).reasons;
}

function inWords(reasons: readonly Reason[]): string[] {
  return reasons.flatMap(({ message, fix }) => [message, fix]);
}

const TESTS = '{ name: unit-tests, type: junit }';

it('has everything needed to find its subject', () => {
  const evidence = artifactIn(flow('web', failed('unit-tests', 'junit')));
  expect(reasonsFor(asking(TESTS), evidence)).toEqual([
    {
      policy_name: 'prod',
      policy_version: 3,
      rule: { type: 'attestation', definition: expect.objectContaining({ name: 'unit-tests', type: 'junit' }) },
      resolution: 'non_compliant_attestation',
      flow_name: 'web',
      trail_name: 'release-7',
      attestation_name: 'unit-tests',
      message: expect.any(String),
      fix: expect.any(String),
    },
  ]);
});

const provenance = policyOf('provenance: { required: true }');
const trail = policyOf('trail-compliance: { required: true }');

it.each<[string, Policy, ArtifactEvidence, string[]]>([
  [
    'no provenance',
    provenance,
    artifactIn(),
    [
      "Policy 'prod' requires provenance. No flow has reported artifact 4f2a4f2a4f2a, so it has no provenance.",
      "Report artifact 4f2a4f2a4f2a to the flow that builds it, or add an exception to provenance in policy 'prod'.",
    ],
  ],
  [
    'no digest',
    provenance,
    { fingerprint: '', flows: [] },
    [
      "Policy 'prod' requires provenance. The running artifact is unknown, because it was reported without a digest.",
      "Report the digest of the running artifact, or add an exception to provenance in policy 'prod'.",
    ],
  ],
  [
    'no provenance for an attestation',
    asking(TESTS),
    artifactIn(),
    [
      "Policy 'prod' requires a compliant attestation named 'unit-tests' of type junit. No flow has reported artifact 4f2a4f2a4f2a, so it has no provenance.",
      "Report artifact 4f2a4f2a4f2a to the flow that builds it, or make policy 'prod' require an attestation named 'unit-tests' of type junit only where there is provenance (`if: ${{ exists(flow) }}`).",
    ],
  ],
  [
    'no provenance for an attestation that is asked for under a condition',
    asking('{ type: sbom, if: "${{ artifact.name != \\"x\\" }}" }'),
    artifactIn(),
    [
      "Policy 'prod' requires a compliant attestation of type sbom. No flow has reported artifact 4f2a4f2a4f2a, so it has no provenance.",
      "Report artifact 4f2a4f2a4f2a to the flow that builds it, or make policy 'prod' require an attestation of type sbom only where there is provenance (`exists(flow)` in its `if`).",
    ],
  ],
  [
    'no provenance for a trail',
    trail,
    artifactIn(),
    [
      "Policy 'prod' requires a compliant trail. No flow has reported artifact 4f2a4f2a4f2a, so it has no provenance.",
      "Report artifact 4f2a4f2a4f2a to the flow that builds it, or add an exception to trail-compliance in policy 'prod'.",
    ],
  ],
  [
    'a broken trail',
    trail,
    artifactIn(broken(flow('web'))),
    [
      "Policy 'prod' requires a compliant trail. In flow 'web', trail 'release-7', the artifact is not compliant: 'unit-tests' was reported as junit and is not compliant: 3 of 200 tests failed.",
      "Run and fix the tests and report 'unit-tests' again.",
    ],
  ],
  [
    'an incomplete trail',
    trail,
    artifactIn(incomplete(flow('web'))),
    [
      "Policy 'prod' requires a compliant trail. In flow 'web', trail 'release-7', the artifact is incomplete: Artifact 'web' lacks 'sbom': no attestation of that name has been reported.",
      "Report an attestation named 'sbom' of type sbom on artifact 'web'.",
    ],
  ],
])('tells about %s', (_, policy, evidence, words) => {
  expect(inWords(reasonsFor(policy, evidence))).toEqual(words);
});

const IN_WEB = "In flow 'web', trail 'release-7',";
const ON_WEB = "in trail 'release-7' of flow 'web'";

/** What is found, after "Policy 'prod' requires …", and what to do. */
it.each<[string, string, FlowEvidence, needs: string, found: string, fix: string]>([
  [
    'nothing of the kind',
    TESTS,
    flow('web'),
    "a compliant attestation named 'unit-tests' of type junit",
    `${IN_WEB} there is none.`,
    `Report an attestation named 'unit-tests' of type junit on the artifact ${ON_WEB}.`,
  ],
  [
    'the name with another type',
    TESTS,
    flow('web', passed('unit-tests', 'generic')),
    "a compliant attestation named 'unit-tests' of type junit",
    `${IN_WEB} 'unit-tests' was reported as generic, not as junit.`,
    `Report an attestation named 'unit-tests' of type junit on the artifact ${ON_WEB}.`,
  ],
  [
    'the type under another name',
    TESTS,
    flow('web', passed('e2e', 'junit')),
    "a compliant attestation named 'unit-tests' of type junit",
    `${IN_WEB} there is none; of type junit there is 'e2e'.`,
    `Report an attestation named 'unit-tests' of type junit on the artifact ${ON_WEB}.`,
  ],
  [
    'nothing, where anything would do',
    "{ name: e2e, type: '*', must_be_compliant: false }",
    flow('web'),
    "an attestation named 'e2e' of any type",
    `${IN_WEB} there is none.`,
    `Report an attestation named 'e2e' of any type on the artifact ${ON_WEB}.`,
  ],
  [
    'a decision on another control',
    '{ type: decision, for_control: SDLC-7 }',
    flow('web', decision('SDLC-8')),
    "a compliant decision on control 'SDLC-7'",
    `${IN_WEB} there is none, only on control 'SDLC-8'.`,
    `Record a decision on control 'SDLC-7' on the artifact ${ON_WEB}.`,
  ],
  [
    'a decision against the control',
    '{ type: decision, for_control: SDLC-7 }',
    flow('web', decision('SDLC-7', false)),
    "a compliant decision on control 'SDLC-7'",
    `${IN_WEB} 'release' of type decision is not compliant.`,
    `Decide control 'SDLC-7' again and report 'release' again ${ON_WEB}, or override it with a reason.`,
  ],
  [
    'something that fails',
    TESTS,
    flow('web', failed('unit-tests', 'junit')),
    "a compliant attestation named 'unit-tests' of type junit",
    `${IN_WEB} 'unit-tests' of type junit is not compliant: 3 of 200 tests failed.`,
    `Run and fix the tests and report 'unit-tests' again ${ON_WEB}, or override it with a reason.`,
  ],
  [
    'something overridden as failing',
    TESTS,
    flow('web', failed('unit-tests', 'junit', { isOverride: true, reasons: ['Known to be flaky.'] })),
    "a compliant attestation named 'unit-tests' of type junit",
    `${IN_WEB} 'unit-tests' of type junit was overridden as not compliant: Known to be flaky.`,
    `Resolve why 'unit-tests' was overridden and report 'unit-tests' again ${ON_WEB}, or override it with a reason.`,
  ],
  [
    'too little trust',
    '{ type: junit, min_trust: signature }',
    flow('web', passed('unit-tests', 'junit')),
    'a compliant attestation of type junit, at least signed by a key or identity that the org trusts',
    `${IN_WEB} 'unit-tests' of type junit exists, but is only reported with an API key.`,
    `Report 'unit-tests' again ${ON_WEB}, signed by a key or identity that the org trusts.`,
  ],
  [
    'too few approvals',
    '{ type: pull_request, min_approvals: 2 }',
    flow('web', reviewed(by('bob'), by('Ada'), by('carol', { commit: 'a'.repeat(40) }))),
    'a compliant attestation of type pull_request with 2 approvals by people who did not write it',
    `${IN_WEB} 'review' lacks approvals: https://code.example.com/pull/7 has 1 of 2 approvals (bob); Ada wrote part of it and carol approved an earlier commit.`,
    `Get the latest commit of https://code.example.com/pull/7 approved by 2 people who did not write any of it and report 'review' again ${ON_WEB}, or override it with a reason.`,
  ],
  [
    'approvals of what nobody is known to have written',
    '{ type: pull_request, min_approvals: 1 }',
    flow('web', pullRequests(pullRequest({ author: null, commitAuthors: [], approvers: [by('bob')] }))),
    'a compliant attestation of type pull_request with 1 approval by people who did not write it',
    `${IN_WEB} 'review' lacks approvals: https://code.example.com/pull/7 has 0 of 1 approval; bob may be an author, because the authors are unknown.`,
    `Get the latest commit of https://code.example.com/pull/7 approved by one person who did not write any of it and report 'review' again ${ON_WEB}, or override it with a reason.`,
  ],
  [
    'no pull request',
    '{ type: pull_request, min_approvals: 1 }',
    flow('web', pullRequests()),
    'a compliant attestation of type pull_request with 1 approval by people who did not write it',
    `${IN_WEB} 'review' contains no pull request.`,
    `Review the change in a pull request and report 'review' again ${ON_WEB}, or override it with a reason.`,
  ],
])('tells about %s', (_, rule, inFlow, needs, found, fix) => {
  const words = inWords(reasonsFor(asking(rule), artifactIn(inFlow)));
  expect(words).toEqual([`Policy 'prod' requires ${needs}. ${found}`, fix]);
});

it.each([
  ['generic', "Fix what 'check' found"],
  ['sonar', 'Pass the quality gate'],
  ['custom:load-test', "Make the data satisfy the rules of type 'load-test'"],
])('suggests a fix for a failing %s', (type, step) => {
  const [reason] = reasonsFor(asking(`{ type: '${type}' }`), artifactIn(flow('web', failed('check', type))));
  expect(reason?.fix).toBe(`${step} and report 'check' again ${ON_WEB}, or override it with a reason.`);
});

it('explains that one flow is enough when it is missing in several', () => {
  const reasons = reasonsFor(asking(TESTS), artifactIn(flow('b'), flow('a')));
  expect(reasons.map((reason) => reason.flow_name)).toEqual(['a', 'b']);
  expect(reasons.map(({ fix }) => fix.endsWith('. One of the 2 flows is enough.'))).toEqual([true, true]);
});

it('lists failures and not what is missing elsewhere', () => {
  const reasons = reasonsFor(asking(TESTS), artifactIn(flow('a'), flow('b', failed('unit-tests', 'junit'))));
  expect(reasons.map((reason) => [reason.flow_name, reason.resolution])).toEqual([['b', 'non_compliant_attestation']]);
});

it('lists each failing attestation', () => {
  const inFlow = flow('web', failed('unit-tests', 'junit'), failed('e2e', 'junit'));
  const reasons = reasonsFor(asking('{ type: junit }'), artifactIn(inFlow));
  expect(reasons.map((reason) => reason.attestation_name)).toEqual(['e2e', 'unit-tests']);
});

it('shortens long texts, and leaves no surrogate halves', () => {
  const reasons = ['x'.repeat(299) + '😀'.repeat(300), ' ', 'b', 'c!', 'd', 'e'];
  const [reason] = reasonsFor(asking(TESTS), artifactIn(flow('web', failed('unit-tests', 'junit', { reasons }))));
  expect(reason?.message).toMatch(/xxx.… b\. c! And 2 more reasons\.$/u);
  expect(reason?.message.isWellFormed()).toBe(true);
});

it('names neither the artifact nor the environment, because others share the decision', () => {
  const evidence = { fingerprint: FINGERPRINT, flows: [] };
  const elsewhere = { artifactName: 'other', environment: { name: 'staging', tags: {} } };
  const identity = { name: 'prod', version: 3 };
  expect(decide(provenance, identity, evidence, elsewhere)).toEqual(
    decide(provenance, identity, evidence, IN_PRODUCTION),
  );
});
