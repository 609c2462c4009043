import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { EpochSeconds, OrgName, ResourceName, text, Unreadable } from './primitives.ts';

export const POLICY_MAX_BYTES = 64 * 1024;

export const POLICY_EXAMPLE = `_schema: https://example.com/policy/v1
artifacts:
  provenance:
    required: true
  attestations:
    - name: unit-tests
      type: junit
`;

export const POLICY_NAME_EXAMPLE = 'my-policy';

export const PolicyName = ResourceName.meta({ description: 'Name of the policy', examples: [POLICY_NAME_EXAMPLE] });

const PolicyParams = z.strictObject({ org: OrgName, name: PolicyName });

/** Invalid characters in a policy are reported with their line, and an oversized policy by its own status. */
const PolicyYaml = z.string().meta({ description: 'The policy, in YAML, at most 64 KiB', examples: [POLICY_EXAMPLE] });

const PolicyEvent = z
  .object({
    type: z.enum([
      'policy_created',
      'policy_updated',
      'policy_version_created',
      'policy_attached',
      'policy_detached',
      'policy_report_only_attached',
      'policy_report_only_detached',
      'policy_promoted',
      'policy_archived',
    ]),
    timestamp: EpochSeconds,
    user: z.string(),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The `version`, `environment`, or `description` that the event is about' }),
    unreadable: Unreadable,
  })
  .meta({ id: 'PolicyEvent' });
export type PolicyEvent = z.infer<typeof PolicyEvent>;

const PolicyVersion = z
  .object({
    version: z.number().int(),
    comment: z.string(),
    created_by: z.string(),
    timestamp: EpochSeconds,
    policy_yaml: z.string(),
  })
  .meta({ id: 'PolicyVersion' });
export type PolicyVersion = z.infer<typeof PolicyVersion>;

export const Policy = z
  .object({
    name: z.string(),
    description: z.string(),
    archived: z.boolean(),
    consuming_envs: z.array(z.string()).meta({ description: 'Names of the environments it is attached to' }),
    report_only_envs: z
      .array(z.string())
      .meta({ description: 'Names of the environments that it is attached to as report-only' }),
    created_at: EpochSeconds,
    created_by: z.string(),
    last_modified_at: EpochSeconds.meta({ description: 'When its text or description last changed' }),
    versions: z.array(PolicyVersion).meta({ description: 'Oldest first; the last one is in force' }),
    events: z.array(PolicyEvent).meta({ description: 'History, oldest first; at most the latest 1,000 events' }),
  })
  .meta({ id: 'Policy' });
export type Policy = z.infer<typeof Policy>;

const inputParts = {
  policy_yaml: PolicyYaml.nullish(),
  description: text(10_000).nullish(),
  comment: text(10_000).nullish().meta({ description: 'Changes in this version' }),
  type: z.literal('env').nullish().meta({ description: 'The only type: policies of environments' }),
};

export const PolicyInput = z
  .strictObject({
    name: PolicyName.nullish().meta({ description: 'If present, must be the name in the path' }),
    ...inputParts,
  })
  .meta({
    id: 'PolicyInput',
    description: 'A description that is absent or null is kept',
    examples: [{ policy_yaml: POLICY_EXAMPLE }],
  });
export type PolicyInput = z.infer<typeof PolicyInput>;

export const NamedPolicyInput = z.strictObject({ name: PolicyName, ...inputParts }).meta({
  id: 'NamedPolicyInput',
  description: 'A description that is absent or null is kept',
  examples: [{ name: POLICY_NAME_EXAMPLE, policy_yaml: POLICY_EXAMPLE }],
});
export type NamedPolicyInput = z.infer<typeof NamedPolicyInput>;

const form = {
  json: 'payload',
  file: { name: 'policy_file', description: 'The policy, in YAML', maxBytes: POLICY_MAX_BYTES },
} as const;

const PUT_DESCRIPTION =
  'A text that differs from the latest version becomes a new version, and the environments that the policy is ' +
  'attached to are re-evaluated. Repeating an identical request changes nothing and succeeds. An invalid text is ' +
  'rejected: `errors` contains each problem by its path in the document, with line and column. Controls named in ' +
  '`for_control` must exist and not be archived. The name of an archived policy can be reused: a new policy ' +
  'starts at version 1.';

export const putPolicy = contract({
  id: 'putPolicy',
  summary: 'Create a policy, or a new version of one',
  description: `${PUT_DESCRIPTION} In a form, the file replaces \`policy_yaml\`, and an empty description is ignored.`,
  tag: 'Policies',
  method: 'PUT',
  path: '/policies/:org/:name',
  access: 'manage_policies',
  dryRun: true,
  params: PolicyParams,
  body: PolicyInput,
  form,
  status: { created: 201, updated: 200 },
  reply: Policy,
  errors: [400, 401, 403, 413, 429, 503],
});

export const putNamedPolicy = contract({
  id: 'putNamedPolicy',
  summary: 'Create a policy, or a new version of one, with the name in the body',
  description: `Like the form with the name in the path. ${PUT_DESCRIPTION}`,
  tag: 'Policies',
  method: 'PUT',
  path: '/policies/:org',
  access: 'manage_policies',
  dryRun: true,
  params: OrgParams,
  body: NamedPolicyInput,
  form,
  status: { created: 201, updated: 200 },
  reply: Policy,
  errors: [400, 401, 403, 413, 429, 503],
});

export const listPolicies = contract({
  id: 'listPolicies',
  summary: 'List the policies of an org',
  description:
    'Sorted by name, with all their versions. A very long list is cut after 10,000 policies or 8 MiB, and a ' +
    '`Link` header with `rel="next"` points to the rest.',
  tag: 'Policies',
  method: 'GET',
  path: '/policies/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
    name: text(255).optional().meta({ description: 'Filter by part of the name, ignoring case' }),
    archived: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: '`true` includes archived policies. Default: `false`' }),
  }),
  status: 200,
  reply: z.array(Policy),
  replyHeaders: { link: 'Link to the rest of the list, if any' },
  errors: [400, 401, 403, 429, 503],
});

export const getPolicy = contract({
  id: 'getPolicy',
  summary: 'Get one policy',
  description:
    'Returns all its versions and its history. If no active policy has the name, the most recently archived one ' +
    'with this name is returned.',
  tag: 'Policies',
  method: 'GET',
  path: '/policies/:org/:name',
  access: 'read',
  params: PolicyParams,
  status: 200,
  reply: Policy,
  errors: [400, 401, 403, 404, 429, 503],
});

export const archivePolicy = contract({
  id: 'archivePolicy',
  summary: 'Archive a policy',
  description:
    'Hides the policy and frees its name. Existing decisions are kept. A policy that is attached to an ' +
    'environment cannot be archived. Archiving it again changes nothing and succeeds.',
  tag: 'Policies',
  method: 'PUT',
  path: '/policies/:org/:name/archive',
  access: 'manage_policies',
  dryRun: true,
  params: PolicyParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 409, 429, 503],
});

const PolicyProblem = z
  .object({
    path: z.string().meta({ description: 'Path in the document; empty for the whole document' }),
    line: z.number().int(),
    column: z.number().int(),
    message: z.string(),
  })
  .meta({ id: 'PolicyProblem' });
export type PolicyProblem = z.infer<typeof PolicyProblem>;

export const validatePolicy = contract({
  id: 'validatePolicy',
  summary: 'Validate a policy without storing it',
  description: 'Returns the first 50 problems with their positions. Lines and columns start at 1.',
  tag: 'Policies',
  method: 'POST',
  path: '/policies/:org/validate',
  access: 'read',
  params: OrgParams,
  body: z.strictObject({ policy_yaml: PolicyYaml }).meta({ id: 'PolicyValidation' }),
  status: 200,
  reply: z.object({ valid: z.boolean(), problems: z.array(PolicyProblem) }),
  errors: [400, 401, 403, 413, 429, 503],
});
