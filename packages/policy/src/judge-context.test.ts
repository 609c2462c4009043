import { expect, it } from 'vitest';
import { decide } from './decide.ts';
import {
  artifactIn,
  asking,
  broken,
  decision,
  failed,
  flow,
  IN_PRODUCTION,
  passed,
  policyOf,
  reviewed,
} from './decide-examples.ts';
import type { ArtifactEvidence } from './evidence.ts';
import type { Policy } from './rule.ts';

function contextsOf(policy: Policy, evidence: ArtifactEvidence): unknown[] {
  const { ruleEvaluations } = decide(policy, { name: 'prod', version: 3 }, evidence, IN_PRODUCTION);
  return ruleEvaluations.flatMap(({ resolutions }) => resolutions.map(({ context }) => context));
}

const WEB = { flow_name: 'web', trail_name: 'release-7', artifact_status: 'COMPLIANT' };
const NOWHERE = { flow_name: null, trail_name: null, artifact_status: null };
const EXCEPTION = '${{ not exists(flow) }}';

it.each<[string, Policy, ArtifactEvidence, unknown]>([
  ['of provenance', policyOf('provenance: { required: true }'), artifactIn(flow('web')), WEB],
  ['without provenance', asking('{ type: junit }'), artifactIn(), NOWHERE],
  [
    'of an exception',
    policyOf(`provenance: { required: true, exceptions: [{ if: '${EXCEPTION}' }] }`),
    artifactIn(),
    { ...NOWHERE, exception: EXCEPTION },
  ],
  [
    'of a broken trail',
    policyOf('trail-compliance: { required: true }'),
    artifactIn(broken(flow('web'))),
    { ...WEB, artifact_status: 'NON-COMPLIANT' },
  ],
  [
    'of evidence that satisfies',
    asking('{ type: junit }'),
    artifactIn(flow('web', passed('unit-tests', 'junit'))),
    {
      ...WEB,
      attestation_name: 'unit-tests',
      attestation_type: 'junit',
      attestation_id: 'unit-tests-of-junit',
    },
  ],
  [
    'of an override that satisfies',
    asking('{ type: pull_request, min_approvals: 2 }'),
    artifactIn(flow('web', { ...reviewed(), isOverride: true })),
    {
      ...WEB,
      attestation_name: 'review',
      attestation_type: 'pull_request',
      attestation_id: 'review-of-pull_request',
      overridden: true,
    },
  ],
  [
    'of a decision',
    asking('{ type: decision, for_control: SDLC-7 }'),
    artifactIn(flow('web', decision('SDLC-7'))),
    {
      ...WEB,
      attestation_name: 'release',
      attestation_type: 'decision',
      attestation_id: 'release-SDLC-7',
      for_control: 'SDLC-7',
    },
  ],
  [
    'of evidence that fails',
    asking('{ type: junit }'),
    artifactIn(flow('web', failed('unit-tests', 'junit'))),
    {
      ...WEB,
      attestation_name: 'unit-tests',
      attestation_type: 'junit',
      attestation_id: 'unit-tests-of-junit',
      is_compliant: false,
    },
  ],
  [
    'of evidence that lacks approvals',
    asking('{ type: pull_request, min_approvals: 2 }'),
    artifactIn(flow('web', reviewed())),
    {
      ...WEB,
      attestation_name: 'review',
      attestation_type: 'pull_request',
      attestation_id: 'review-of-pull_request',
      is_compliant: true,
      min_approvals: 2,
      approvals: 0,
    },
  ],
  [
    'of what is missing',
    asking('{ type: decision, for_control: SDLC-7 }'),
    artifactIn(flow('web')),
    { ...WEB, attestation_name: '*', attestation_type: 'decision', attestation_id: null, for_control: 'SDLC-7' },
  ],
  [
    'of what is not trusted enough',
    asking('{ type: junit, min_trust: signature }'),
    artifactIn(flow('web', passed('unit-tests', 'junit'))),
    {
      ...WEB,
      attestation_name: 'unit-tests',
      attestation_type: 'junit',
      attestation_id: 'unit-tests-of-junit',
      trust: 'api_key',
      min_trust: 'signature',
    },
  ],
])('says where: %s', (_, policy, evidence, context) => {
  expect(contextsOf(policy, evidence)).toEqual([context]);
});

it('names the first of several by name, then by id', () => {
  const one = passed('b', 'junit', { id: '1' });
  const two = passed('a', 'junit', { id: '3' });
  const three = passed('a', 'junit', { id: '2' });
  expect(contextsOf(asking('{ type: junit }'), artifactIn(flow('web', one, two, three)))).toMatchObject([
    { attestation_name: 'a', attestation_id: '2' },
  ]);
});
