import { z } from 'zod';
import { contract } from './contract.ts';
import { ArtifactStatus, Explanation, Fingerprint, FlowName } from './evidence.ts';
import { OrgName } from './primitives.ts';

export const assertArtifact = contract({
  id: 'assertArtifact',
  summary: 'Ask whether an artifact is compliant',
  description:
    'Always 200: `compliant` says yes or no, and the explanation why. Without `flow_name` every flow that reports the ' +
    'artifact must find it compliant.',
  tag: 'Asserts',
  method: 'GET',
  path: '/asserts/:org/fingerprint/:fingerprint',
  access: 'reader',
  params: z.strictObject({ org: OrgName, fingerprint: Fingerprint }),
  query: z.strictObject({ flow_name: FlowName.optional() }),
  status: 200,
  reply: z
    .object({
      fingerprint: z.string(),
      compliant: z.boolean(),
      scope: z.enum(['flow', 'environment', 'policy']),
      environment: z.string().nullable(),
      policy_evaluations: z.array(z.unknown()),
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
      allow_listing: z.null(),
      html_url: z.string(),
    })
    .meta({ id: 'ArtifactAssertion' }),
  errors: [400, 401, 403, 404, 429, 503],
});
