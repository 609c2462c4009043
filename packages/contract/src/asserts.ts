import { z } from 'zod';
import { BinaryReply, contract } from './contract.ts';
import { EnvironmentName } from './environments.ts';
import { ArtifactStatus, Explanation, FingerprintPrefix, FlowName, repeated } from './evidence.ts';
import { PolicyName } from './policies.ts';
import { EpochSeconds, OrgName } from './primitives.ts';
import { RunCompliance } from './snapshots.ts';
import { PolicyEvaluation } from './verdicts.ts';

export const assertArtifact = contract({
  id: 'assertArtifact',
  summary: 'Assert that an artifact is compliant',
  description:
    'Always answers 200; `compliant` is the result, and the other fields explain it. Without an environment or ' +
    'policies, the artifact must be compliant in every flow that reports it, or in the one given as `flow_name`. ' +
    'With `environment_name`, the policies of that environment decide, as in its snapshots, and a waiver there ' +
    'counts. With `policy_name`, which can be repeated, the newest versions of those policies decide. In both ' +
    'cases, evidence from all flows counts: a rule is satisfied if at least one flow satisfies it and no flow has ' +
    'failing evidence for it; `flow_name` only filters what `flows` shows. Answers 404 for an artifact that was ' +
    'never reported, unless it runs in the environment or has a waiver there. The first item of `flows` is the ' +
    'flow that reported the artifact first; `flow`, `trail`, and `compliance_status` refer to that flow.',
  tag: 'Asserts',
  method: 'GET',
  path: '/asserts/:org/fingerprint/:fingerprint',
  access: 'read',
  params: z.strictObject({ org: OrgName, fingerprint: FingerprintPrefix }),
  query: z.strictObject({
    flow_name: FlowName.optional(),
    environment_name: EnvironmentName.optional().meta({ description: 'Cannot be combined with `policy_name`' }),
    policy_name: repeated(PolicyName, 100),
  }),
  status: 200,
  reply: z
    .object({
      fingerprint: z.string(),
      compliant: z.boolean().meta({ description: 'False if unknown; see `compliance`' }),
      compliance: RunCompliance.meta({
        description: '`unknown` if no policy is attached; `waived` if a waiver applies',
      }),
      because: z.string().meta({
        description: 'Explanation in a few sentences',
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
        .meta({ description: 'The waiver for the artifact in the environment, whether or not it is needed' }),
      html_url: z.string(),
    })
    .meta({ id: 'ArtifactAssertion' }),
  errors: [400, 401, 403, 404, 429, 503],
});

export const getVerificationSummary = contract({
  id: 'getVerificationSummary',
  summary: 'Get the signed verdict on an artifact in an environment',
  description:
    'A SLSA Verification Summary Attestation of the verdict at the time of the request, signed by this installation: ' +
    'an in-toto statement in a DSSE envelope. It names the policies with their versions and digests, the evidence ' +
    'they relied on, the result, and the time. A gate can decide from it offline with `waymark assert artifact ' +
    '--offline`, and other tools can verify it. 404 as for `GET /asserts/{org}/fingerprint/{fingerprint}`, and if the ' +
    'installation has no key for statements; 409 if no policy is attached, because then there is no verdict.',
  tag: 'Asserts',
  method: 'GET',
  path: '/asserts/:org/fingerprint/:fingerprint/vsa',
  access: 'read',
  params: z.strictObject({ org: OrgName, fingerprint: FingerprintPrefix }),
  query: z.strictObject({ environment_name: EnvironmentName }),
  status: 200,
  reply: z
    .object({
      payloadType: z.string(),
      payload: z.string().meta({ description: 'The statement, in base64' }),
      signatures: z.array(z.object({ keyid: z.string().optional(), sig: z.string() })),
    })
    .meta({ id: 'SignedStatement' }),
  errors: [400, 401, 403, 404, 409, 429, 503],
});

export const getStatementKeys = contract({
  id: 'getStatementKeys',
  summary: 'Get the public keys that statements are signed with',
  description:
    'In PEM, newest first. A verifier must get the keys over a channel of its own: compare this file with the one that ' +
    'was handed over.',
  tag: 'Asserts',
  method: 'GET',
  path: '/statement-keys',
  access: 'public',
  status: 200,
  reply: BinaryReply,
  replyType: 'text/plain',
  errors: [404, 429, 503],
});
