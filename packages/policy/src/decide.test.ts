import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import {
  artifactIn,
  asking,
  broken,
  by,
  decision,
  failed,
  flow,
  HEAD,
  IN_PRODUCTION,
  incomplete,
  passed,
  policyOf,
  pullRequest,
  pullRequests,
  reviewed,
  tagged,
} from './decide-examples.ts';
import type { RuleEvaluation } from './decision.ts';
import type { ArtifactEvidence, FlowEvidence } from './evidence.ts';
import type { Policy } from './rule.ts';

/** What it is about, the policy, the flows that know the artifact, and what each rule comes to, flow by flow. */
type Case = readonly [title: string, policy: string, flows: readonly FlowEvidence[], outcome: string];

const PROVENANCE = 'provenance: { required: true }';
const TRAIL = 'trail-compliance: { required: true }';
const TESTS = '{ name: unit-tests, type: junit }';
const tests = passed('unit-tests', 'junit');
const badTests = failed('unit-tests', 'junit');

function outcomeOf({ satisfied, ignored, resolutions }: RuleEvaluation): string {
  expect(ignored).toBe(satisfied === null);
  const verdict = ignored ? 'ignored' : satisfied ? 'satisfied' : 'unsatisfied';
  return `${verdict}: ${resolutions.map(({ type }) => type).join(', ')}`;
}

function expectOutcome(policy: Policy, evidence: ArtifactEvidence, outcome: string): void {
  const { status, ruleEvaluations, reasons } = decide(policy, { name: 'prod', version: 3 }, evidence, IN_PRODUCTION);
  const isCompliant = !outcome.includes('unsatisfied');
  expect(ruleEvaluations.map(outcomeOf).join(' | ')).toBe(outcome);
  expect(status).toBe(isCompliant ? 'COMPLIANT' : 'NON-COMPLIANT');
  expect(reasons.length > 0).toBe(!isCompliant);
}

const VENDOR = `provenance: { required: true, exceptions: [{ if: '\${{ matches(artifact.name, "^vendor/") }}' }] }`;
const REGISTRY = `provenance: { required: true, exceptions: [{ if: '\${{ matches(artifact.name, "^registry") }}' }] }`;
const UNKNOWN_FLOW = `provenance: { required: true, exceptions: [{ if: '\${{ not exists(flow) }}' }] }`;

const wholePolicies: Record<string, readonly Case[]> = {
  provenance: [
    ['is there when a flow knows the artifact', PROVENANCE, [flow('web')], 'satisfied: rule_satisfied'],
    ['is there in both flows', PROVENANCE, [flow('a'), flow('b')], 'satisfied: rule_satisfied, rule_satisfied'],
    ['is there even if the trail is broken', PROVENANCE, [broken(flow('web'))], 'satisfied: rule_satisfied'],
    ['is missing when no flow knows it', PROVENANCE, [], 'unsatisfied: no_provenance'],
    ['is not asked for unless required', 'provenance: { required: false }', [], ''],
    ['is granted by an exception that holds', REGISTRY, [], 'ignored: rule_not_applicable'],
    ['is not granted by one that does not', VENDOR, [], 'unsatisfied: no_provenance'],
    ['is satisfied rather than waived where it is there', REGISTRY, [flow('web')], 'satisfied: rule_satisfied'],
    ['can be waived for whatever no flow knows', UNKNOWN_FLOW, [], 'ignored: rule_not_applicable'],
    [
      'is waived when any of the exceptions holds',
      `provenance: { required: true, exceptions: [{ if: '\${{ flow.name == "web" }}' }, { if: '\${{ environment.name == "production" }}' }] }`,
      [],
      'ignored: rule_not_applicable',
    ],
  ],
  'trail-compliance': [
    ['holds for a compliant trail', TRAIL, [flow('web')], 'satisfied: rule_satisfied'],
    ['does not for a broken one', TRAIL, [broken(flow('web'))], 'unsatisfied: non_compliant_in_trail'],
    ['does not for an incomplete one', TRAIL, [incomplete(flow('web'))], 'unsatisfied: non_compliant_in_trail'],
    ['cannot hold without provenance', TRAIL, [], 'unsatisfied: no_provenance'],
    [
      'fails when another flow is compliant',
      TRAIL,
      [flow('a'), broken(flow('b'))],
      'unsatisfied: rule_satisfied, non_compliant_in_trail',
    ],
    [
      'holds when one flow has all and another lacks something',
      TRAIL,
      [flow('a'), incomplete(flow('b'))],
      'satisfied: rule_satisfied, non_compliant_in_trail',
    ],
    [
      'does not when all flows lack something',
      TRAIL,
      [incomplete(flow('a')), incomplete(flow('b'))],
      'unsatisfied: non_compliant_in_trail, non_compliant_in_trail',
    ],
    [
      'fails for one that is broken beside one that lacks something',
      TRAIL,
      [incomplete(flow('a')), broken(flow('b'))],
      'unsatisfied: non_compliant_in_trail, non_compliant_in_trail',
    ],
    [
      'does not look at flows that are excepted',
      `trail-compliance: { required: true, exceptions: [{ if: '\${{ flow.tags.legacy == "yes" }}' }] }`,
      [flow('a'), tagged({ legacy: 'yes' }, broken(flow('b')))],
      'satisfied: rule_satisfied, rule_not_applicable',
    ],
    [
      'is ignored when all flows are excepted',
      `trail-compliance: { required: true, exceptions: [{ if: '\${{ flow.tags.legacy == "yes" }}' }] }`,
      [tagged({ legacy: 'yes' }, broken(flow('b')))],
      'ignored: rule_not_applicable',
    ],
    [
      'does not hold by a compliant flow that is excepted',
      `trail-compliance: { required: true, exceptions: [{ if: '\${{ flow.name == "a" }}' }] }`,
      [flow('a'), incomplete(flow('b'))],
      'unsatisfied: rule_not_applicable, non_compliant_in_trail',
    ],
    [
      'without provenance can be excepted as well',
      `trail-compliance: { required: true, exceptions: [{ if: '\${{ not exists(flow) }}' }] }`,
      [],
      'ignored: rule_not_applicable',
    ],
    [
      'without provenance is not excepted by what asks for a flow',
      `trail-compliance: { required: true, exceptions: [{ if: '\${{ flow.name == "a" }}' }] }`,
      [],
      'unsatisfied: no_provenance',
    ],
  ],
  'several rules': [
    ['none: whatever runs is compliant', 'attestations: []', [], ''],
    [
      'all must be satisfied',
      `${PROVENANCE}\n${TRAIL}\nattestations: [${TESTS}]`,
      [flow('web', tests)],
      'satisfied: rule_satisfied | satisfied: rule_satisfied | satisfied: rule_satisfied',
    ],
    [
      'one that is not is enough',
      `${PROVENANCE}\n${TRAIL}\nattestations: [${TESTS}]`,
      [flow('web')],
      'satisfied: rule_satisfied | satisfied: rule_satisfied | unsatisfied: missing_attestation',
    ],
    [
      'what is waived does no harm to the others',
      `${REGISTRY}\nattestations: [{ type: junit, if: '\${{ exists(flow) }}' }]`,
      [],
      'ignored: rule_not_applicable | ignored: rule_not_applicable',
    ],
    [
      'each says for itself that there is no provenance',
      `${PROVENANCE}\n${TRAIL}\nattestations: [${TESTS}]`,
      [],
      'unsatisfied: no_provenance | unsatisfied: no_provenance | unsatisfied: no_provenance',
    ],
    [
      'can be satisfied in different flows',
      `attestations: [${TESTS}, { type: sbom }]`,
      [flow('a', tests), flow('b', passed('parts', 'sbom'))],
      'satisfied: rule_satisfied, missing_attestation | satisfied: missing_attestation, rule_satisfied',
    ],
  ],
};

describe.each(Object.entries(wholePolicies))('%s', (_, cases) => {
  it.each(cases)('%s', (_, policy, flows, outcome) => {
    expectOutcome(policyOf(policy), artifactIn(...flows), outcome);
  });
});

const HIGH_RISK = `{ type: junit, if: '\${{ flow.tags.risk == "high" }}' }`;
const high = { risk: 'high' };
const low = { risk: 'low' };

const PLAIN = '{ type: pull_request, min_approvals: 1 }';
const TWO = '{ type: pull_request, min_approvals: 2 }';
const SIGNED = '{ name: unit-tests, type: junit, min_trust: signature }';
const signed = passed('unit-tests', 'junit', { trust: 'signature' });
const LACKING = 'unsatisfied: non_compliant_attestation';
const MET = 'satisfied: rule_satisfied';
const MISSING = 'unsatisfied: missing_attestation';

const singleRules: Record<string, readonly Case[]> = {
  'an attestation': [
    ['that is there and compliant', TESTS, [flow('web', tests)], MET],
    ['that is there and is not compliant', TESTS, [flow('web', badTests)], LACKING],
    ['that is not there', TESTS, [flow('web')], MISSING],
    ['of a name that is there with another type', TESTS, [flow('web', passed('unit-tests', 'generic'))], MISSING],
    ['of a type that is there under another name', TESTS, [flow('web', passed('e2e', 'junit'))], MISSING],
    ['whose name has other capitals', TESTS, [flow('web', passed('Unit-Tests', 'junit'))], MISSING],
    ['of any name', '{ type: junit }', [flow('web', passed('e2e', 'junit'))], MET],
    ['of any name, when all are of other types', '{ type: junit }', [flow('web', passed('e2e', 'generic'))], MISSING],
    ['of any type', "{ name: e2e, type: '*' }", [flow('web', passed('e2e', 'custom:load'))], MET],
    [
      'of any type that fails in one of them',
      "{ name: e2e, type: '*' }",
      [flow('web', tests, failed('e2e', 'snyk'), passed('e2e', 'junit'))],
      LACKING,
    ],
    ['of a custom type', '{ type: custom:load }', [flow('web', passed('e2e', 'custom:load'))], MET],
    ['of another custom type', '{ type: custom:load }', [flow('web', passed('e2e', 'custom:soak'))], MISSING],
    ['of any name, one of which fails', '{ type: junit }', [flow('web', tests, failed('e2e', 'junit'))], LACKING],
    [
      'of any name, two of which fail',
      '{ type: junit }',
      [flow('web', badTests, failed('e2e', 'junit'))],
      `${LACKING}, non_compliant_attestation`,
    ],
    ['beside one that fails and is not asked for', TESTS, [flow('web', tests, failed('parts', 'sbom'))], MET],
    [
      'that need not be compliant',
      '{ name: unit-tests, type: junit, must_be_compliant: false }',
      [flow('web', badTests)],
      MET,
    ],
    [
      'that need not be compliant, but there',
      '{ name: unit-tests, type: junit, must_be_compliant: false }',
      [flow('web')],
      MISSING,
    ],
    [
      'in one flow and missing in another',
      TESTS,
      [flow('a', tests), flow('b')],
      'satisfied: rule_satisfied, missing_attestation',
    ],
    [
      'in one flow and failing in another',
      TESTS,
      [flow('a', tests), flow('b', badTests)],
      'unsatisfied: rule_satisfied, non_compliant_attestation',
    ],
    [
      'missing in one flow and failing in another',
      TESTS,
      [flow('a'), flow('b', badTests)],
      'unsatisfied: missing_attestation, non_compliant_attestation',
    ],
    ['missing in both flows', TESTS, [flow('a'), flow('b')], 'unsatisfied: missing_attestation, missing_attestation'],
    ['in both flows', TESTS, [flow('a', tests), flow('b', tests)], 'satisfied: rule_satisfied, rule_satisfied'],
    ['in a trail that is broken otherwise', TESTS, [broken(flow('web', tests))], MET],
    ['without provenance', TESTS, [], 'unsatisfied: no_provenance'],
  ],
  'a condition': [
    ['that holds: the rule applies', HIGH_RISK, [tagged(high, flow('web', tests))], MET],
    ['that holds: the evidence must be there', HIGH_RISK, [tagged(high, flow('web'))], MISSING],
    ['that does not: the rule is ignored', HIGH_RISK, [tagged(low, flow('web'))], 'ignored: rule_not_applicable'],
    ['on a tag that is not there: the rule is ignored', HIGH_RISK, [flow('web')], 'ignored: rule_not_applicable'],
    [
      'that does not hold: what fails does not matter',
      HIGH_RISK,
      [tagged(low, flow('web', badTests))],
      'ignored: rule_not_applicable',
    ],
    [
      'that holds in one flow: evidence elsewhere does not count',
      HIGH_RISK,
      [tagged(high, flow('a')), tagged(low, flow('b', tests))],
      'unsatisfied: missing_attestation, rule_not_applicable',
    ],
    [
      'that holds in one flow: failure elsewhere does not count',
      HIGH_RISK,
      [tagged(high, flow('a', tests)), tagged(low, flow('b', badTests))],
      'satisfied: rule_satisfied, rule_not_applicable',
    ],
    [
      'that holds in both flows: one that fails is enough',
      HIGH_RISK,
      [tagged(high, flow('a', tests)), tagged(high, flow('b', badTests))],
      'unsatisfied: rule_satisfied, non_compliant_attestation',
    ],
    ['on the flow, without provenance: the rule is ignored', HIGH_RISK, [], 'ignored: rule_not_applicable'],
    [
      'not on the flow, without provenance: the rule applies',
      `{ type: junit, if: '\${{ environment.name == "production" }}' }`,
      [],
      'unsatisfied: no_provenance',
    ],
    ['on the environment', `{ type: junit, if: '\${{ environment.tags.tier == 1 }}' }`, [flow('web')], MISSING],
    [
      'on another environment',
      `{ type: junit, if: '\${{ environment.name == "staging" }}' }`,
      [flow('web')],
      'ignored: rule_not_applicable',
    ],
    [
      'on the name of the artifact',
      `{ type: junit, if: '\${{ matches(artifact.name, "web:") }}' }`,
      [flow('web')],
      MISSING,
    ],
    [
      'on the fingerprint',
      `{ type: junit, if: '\${{ matches(artifact.fingerprint, "^4f2a") }}' }`,
      [flow('web')],
      MISSING,
    ],
  ],
  'evidence for a control': [
    ['of any type', '{ type: junit, for_control: SDLC-7 }', [flow('web', passed('tests', 'junit'))], MET],
    ['that fails', '{ type: junit, for_control: SDLC-7 }', [flow('web', failed('tests', 'junit'))], LACKING],
    ['of another type', '{ type: sbom, for_control: SDLC-7 }', [flow('web', decision('SDLC-7'))], MISSING],
  ],
  'a decision': [
    ['on the control', '{ type: decision, for_control: SDLC-7 }', [flow('web', decision('SDLC-7'))], MET],
    [
      'against the control',
      '{ type: decision, for_control: SDLC-7 }',
      [flow('web', decision('SDLC-7', false))],
      LACKING,
    ],
    ['on another control', '{ type: decision, for_control: SDLC-7 }', [flow('web', decision('SDLC-8'))], MISSING],
    [
      'against another control',
      '{ type: decision, for_control: SDLC-7 }',
      [flow('web', decision('SDLC-8', false), decision('SDLC-7'))],
      MET,
    ],
    ['on any control', '{ type: decision }', [flow('web', decision('SDLC-8'))], MET],
    [
      'of a name, on the control',
      '{ name: release, type: decision, for_control: SDLC-7 }',
      [flow('web', decision('SDLC-7'))],
      MET,
    ],
    [
      'that is no decision but names the control',
      '{ type: decision, for_control: SDLC-7 }',
      [flow('web', passed('release', 'generic', { control: 'SDLC-7' }))],
      MISSING,
    ],
  ],
  approvals: [
    ['one of one', PLAIN, [flow('web', reviewed(by('bob')))], MET],
    ['none of one', PLAIN, [flow('web', reviewed())], LACKING],
    ['two of two', TWO, [flow('web', reviewed(by('bob'), by('carol')))], MET],
    ['one of two', TWO, [flow('web', reviewed(by('bob')))], LACKING],
    ['twice by the same person count once', TWO, [flow('web', reviewed(by('bob'), by('Bob ')))], LACKING],
    ['by the author do not count', PLAIN, [flow('web', reviewed(by('ada')))], LACKING],
    ['by the author in capitals do not count', PLAIN, [flow('web', reviewed(by('ADA')))], LACKING],
    [
      'by the author of a commit do not count, known by address',
      PLAIN,
      [flow('web', reviewed(by('eve@example.com')))],
      LACKING,
    ],
    ['by the author of a commit do not count, known by name', PLAIN, [flow('web', reviewed(by('eve')))], LACKING],
    [
      'by an account behind a hidden address do not count',
      PLAIN,
      [
        flow(
          'web',
          pullRequests(pullRequest({ commitAuthors: ['D <12+dan@users.noreply.github.com>'], approvers: [by('dan')] })),
        ),
      ],
      LACKING,
    ],
    [
      'of an earlier commit do not count',
      PLAIN,
      [flow('web', reviewed(by('bob', { commit: 'a'.repeat(40) })))],
      LACKING,
    ],
    [
      'of the head commit, written in capitals',
      PLAIN,
      [flow('web', reviewed(by('bob', { commit: HEAD.toUpperCase() })))],
      MET,
    ],
    ['that do not say which commit they saw count', PLAIN, [flow('web', reviewed(by('bob', { commit: null })))], MET],
    [
      'of some commit do not count when the head is not known',
      PLAIN,
      [flow('web', pullRequests(pullRequest({ headCommit: null, approvers: [by('bob')] })))],
      LACKING,
    ],
    [
      'need no head when they name no commit',
      PLAIN,
      [flow('web', pullRequests(pullRequest({ headCommit: null, approvers: [by('bob', { commit: null })] })))],
      MET,
    ],
    [
      'again after an earlier commit count',
      PLAIN,
      [flow('web', reviewed(by('bob', { commit: 'a'.repeat(40) }), by('bob')))],
      MET,
    ],
    [
      'that ask for changes do not count',
      PLAIN,
      [flow('web', reviewed(by('bob', { state: 'CHANGES_REQUESTED' })))],
      LACKING,
    ],
    ['that were dismissed do not count', PLAIN, [flow('web', reviewed(by('bob', { state: 'DISMISSED' })))], LACKING],
    ['of people who are just listed as approvers count', PLAIN, [flow('web', reviewed(by('bob', { state: '' })))], MET],
    ['in small letters count', PLAIN, [flow('web', reviewed(by('bob', { state: 'approved' })))], MET],
    ['by nobody in particular do not count', PLAIN, [flow('web', reviewed(by('  ')))], LACKING],
    [
      'of what nobody is known to have written do not count',
      PLAIN,
      [flow('web', pullRequests(pullRequest({ author: '', commitAuthors: [], approvers: [by('bob')] })))],
      LACKING,
    ],
    [
      'of what only its commits name the authors of count',
      PLAIN,
      [flow('web', pullRequests(pullRequest({ author: null, approvers: [by('bob')] })))],
      MET,
    ],
    [
      'must be there for every pull request that is listed',
      PLAIN,
      [
        flow(
          'web',
          pullRequests(
            pullRequest({ approvers: [by('bob')] }),
            pullRequest({ url: 'https://code.example.com/pull/8' }),
          ),
        ),
      ],
      LACKING,
    ],
    [
      'are there for every pull request that is listed',
      PLAIN,
      [flow('web', pullRequests(pullRequest({ approvers: [by('bob')] }), pullRequest({ approvers: [by('carol')] })))],
      MET,
    ],
    [
      'do not add up over pull requests',
      TWO,
      [flow('web', pullRequests(pullRequest({ approvers: [by('bob')] }), pullRequest({ approvers: [by('carol')] })))],
      LACKING,
    ],
    ['of no pull request at all', PLAIN, [flow('web', pullRequests())], LACKING],
    [
      'are asked for even if the evidence need not be compliant',
      '{ type: pull_request, must_be_compliant: false, min_approvals: 1 }',
      [flow('web', reviewed())],
      LACKING,
    ],
    [
      'do not help what is not compliant',
      PLAIN,
      [flow('web', { ...reviewed(by('bob')), isCompliant: false })],
      LACKING,
    ],
    [
      'lacking in one flow outweigh those in another',
      PLAIN,
      [flow('a', reviewed(by('bob'))), flow('b', reviewed())],
      'unsatisfied: rule_satisfied, non_compliant_attestation',
    ],
    [
      'are not needed by a pull request attestation that was overridden as compliant',
      TWO,
      [flow('web', { ...reviewed(), isOverride: true })],
      MET,
    ],
    [
      'do not matter to one that was overridden as not compliant',
      PLAIN,
      [flow('web', { ...reviewed(by('bob')), isOverride: true, isCompliant: false })],
      LACKING,
    ],
  ],
  trust: [
    ['as asked for', SIGNED, [flow('web', signed)], MET],
    ['more than asked for', '{ type: junit, min_trust: api_key }', [flow('web', signed)], MET],
    ['less than asked for is as if it were missing', SIGNED, [flow('web', tests)], MISSING],
    [
      'by workload identity is less than by signature',
      SIGNED,
      [flow('web', passed('unit-tests', 'junit', { trust: 'workload_identity' }))],
      MISSING,
    ],
    [
      'by claim is enough when a claim is asked for',
      '{ type: junit, min_trust: claimed }',
      [flow('web', passed('unit-tests', 'junit', { trust: 'claimed' }))],
      MET,
    ],
    [
      'by claim is less than by API key',
      '{ type: junit, min_trust: api_key }',
      [flow('web', passed('unit-tests', 'junit', { trust: 'claimed' }))],
      MISSING,
    ],
    ['is not needed to fail', SIGNED, [flow('web', badTests)], LACKING],
    [
      'is not needed to lack approvals',
      '{ type: pull_request, min_approvals: 1, min_trust: signature }',
      [flow('web', reviewed())],
      LACKING,
    ],
    [
      'in another flow is enough',
      SIGNED,
      [flow('a', tests), flow('b', signed)],
      'satisfied: missing_attestation, rule_satisfied',
    ],
    [
      'of one of several is enough',
      '{ type: junit, min_trust: signature }',
      [flow('web', passed('a', 'junit'), passed('b', 'junit', { trust: 'signature' }))],
      MET,
    ],
    [
      'is asked for even if the evidence need not be compliant',
      '{ type: junit, must_be_compliant: false, min_trust: signature }',
      [flow('web', badTests)],
      MISSING,
    ],
  ],
  'an override': [
    [
      'as compliant counts as compliant',
      TESTS,
      [flow('web', passed('unit-tests', 'junit', { isOverride: true }))],
      MET,
    ],
    ['as not compliant fails', TESTS, [flow('web', failed('unit-tests', 'junit', { isOverride: true }))], LACKING],
    [
      'must be trusted as far as asked for',
      SIGNED,
      [flow('web', passed('unit-tests', 'junit', { isOverride: true }))],
      MISSING,
    ],
    [
      'in one flow does not help another that fails',
      TESTS,
      [flow('a', passed('unit-tests', 'junit', { isOverride: true })), flow('b', badTests)],
      'unsatisfied: rule_satisfied, non_compliant_attestation',
    ],
  ],
};

describe.each(Object.entries(singleRules))('%s', (_, cases) => {
  it.each(cases)('%s', (_, rule, flows, outcome) => {
    expectOutcome(asking(rule), artifactIn(...flows), outcome);
  });
});

it('judges an artifact without a digest as unknown to all flows', () => {
  expectOutcome(policyOf(PROVENANCE), { fingerprint: '', flows: [] }, 'unsatisfied: no_provenance');
});

it('judges by the policy alone when there is no environment', () => {
  const policy = asking(`{ type: junit, if: '\${{ environment.name == "production" }}' }`);
  const judged = decide(policy, { name: 'prod', version: 3 }, artifactIn(), { artifactName: 'web', environment: null });
  expect(judged.status).toBe('COMPLIANT');
});
