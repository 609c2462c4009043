import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName } from './environments.ts';
import { ArtifactStatus, Explanation, FingerprintPrefix, FlowName, repeated } from './evidence.ts';
import { PolicyName } from './policies.ts';
import { EpochSeconds, OrgName } from './primitives.ts';
import { RunCompliance } from './snapshots.ts';
import { PolicyEvaluation } from './verdicts.ts';

export const assertArtifact = contract({
  id: 'assertArtifact',
  summary: 'Ask whether an artifact is compliant',
  description:
    'Always 200: `compliant` says yes or no, and the rest why. Without an environment or policies each flow that reports ' +
    'the artifact must find it compliant, or the one that is named with `flow_name`. With `environment_name` the policies ' +
    'of that environment decide, as they do in its snapshots, and an allow-listing there lets it pass; with ' +
    '`policy_name`, which can be repeated, the newest versions of those policies. Then the evidence of all flows counts: ' +
    'a rule is satisfied when one flow satisfies it and none holds something that fails. `flow_name` only narrows what ' +
    '`flows` shows. An artifact that nobody reported is 404, unless it runs in the environment or is allow-listed there. ' +
    '`flows` has the flow that reported the artifact first at its head; `flow`, `trail` and `compliance_status` are of ' +
    'that one.',
  tag: 'Asserts',
  method: 'GET',
  path: '/asserts/:org/fingerprint/:fingerprint',
  access: 'read',
  params: z.strictObject({ org: OrgName, fingerprint: FingerprintPrefix }),
  query: z.strictObject({
    flow_name: FlowName.optional(),
    environment_name: EnvironmentName.optional().meta({ description: 'Not together with `policy_name`' }),
    policy_name: repeated(PolicyName, 100),
  }),
  status: 200,
  reply: z
    .object({
      fingerprint: z.string(),
      compliant: z.boolean().meta({ description: 'False when unknown; `compliance` tells them apart' }),
      compliance: RunCompliance.meta({
        description: '`unknown` where no policy is attached, `waived` where an allow-listing lets it pass',
      }),
      because: z.string().meta({
        description: 'Why, in a few sentences',
        examples: ['Policy prod (version 3) is satisfied.'],
      }),
      scope: z.enum(['flow', 'environment', 'policy']),
      environment: z.string().nullable(),
      policy_evaluations: z.array(PolicyEvaluation),
      flow: z.string().nullable(),
      trail: z.string().nullable(),
      compliance_status: ArtifactStatus.nullable(),
      flows: z.array(
        z.object({
          flow: z.string(),
          trail: z.string(),
          compliant: z.boolean(),
          compliance_status: ArtifactStatus,
          explanation: Explanation,
          html_url: z.string(),
        }),
      ),
      allow_listing: z
        .object({
          allowlist_id: z.string(),
          allowed_by_user_id: z.string(),
          timestamp: EpochSeconds,
          description: z.string(),
        })
        .nullable()
        .meta({ description: 'What lists the artifact in the environment, whether or not it needs that' }),
      html_url: z.string(),
    })
    .meta({ id: 'ArtifactAssertion' }),
  errors: [400, 401, 403, 404, 429, 503],
});
