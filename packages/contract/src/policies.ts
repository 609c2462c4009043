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
const PolicyYaml = z.string().meta({ description: 'The policy, YAML of at most 64 KiB', examples: [POLICY_EXAMPLE] });

const PolicyEvent = z
  .object({
    type: z.enum([
      'policy_created',
      'policy_updated',
      'policy_version_created',
      'policy_attached',
      'policy_detached',
      'policy_archived',
    ]),
    timestamp: EpochSeconds,
    user: z.string(),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The `version`, the `environment` or the `description` that it is about' }),
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
    created_at: EpochSeconds,
    created_by: z.string(),
    last_modified_at: EpochSeconds.meta({ description: 'When its text or its description was changed' }),
    versions: z.array(PolicyVersion).meta({ description: 'Oldest first; the last one judges' }),
    events: z.array(PolicyEvent).meta({ description: 'What happened to it, oldest first; at most the latest 1,000' }),
  })
  .meta({ id: 'Policy' });
export type Policy = z.infer<typeof Policy>;

const inputParts = {
  policy_yaml: PolicyYaml.nullish(),
  description: text(10_000).nullish(),
  comment: text(10_000).nullish().meta({ description: 'What is new in this version' }),
  type: z.literal('env').nullish().meta({ description: 'There is one kind of policies: those of environments' }),
};

export const PolicyInput = z
  .strictObject({ name: PolicyName.nullish().meta({ description: 'The name in the path, if given' }), ...inputParts })
  .meta({
    id: 'PolicyInput',
    description: 'A description that is absent or null is left as it is',
    examples: [{ policy_yaml: POLICY_EXAMPLE }],
  });
export type PolicyInput = z.infer<typeof PolicyInput>;

export const NamedPolicyInput = z.strictObject({ name: PolicyName, ...inputParts }).meta({
  id: 'NamedPolicyInput',
  description: 'A description that is absent or null is left as it is',
  examples: [{ name: POLICY_NAME_EXAMPLE, policy_yaml: POLICY_EXAMPLE }],
});
export type NamedPolicyInput = z.infer<typeof NamedPolicyInput>;

const form = {
  json: 'payload',
  file: { name: 'policy_file', description: 'The policy, YAML', maxBytes: POLICY_MAX_BYTES },
} as const;

const PUT_DESCRIPTION =
  'A text that differs from the latest version becomes a new version, and the environments that the policy is attached ' +
  'to are judged by it. Repeating an identical request changes nothing and succeeds. A text that is not valid is ' +
  'refused: `errors` has each problem by its path in the document, with line and column. Controls that it names in ' +
  '`for_control` must exist and not be archived. The name of an archived policy is free: a new policy starts at version 1.';

export const putPolicy = contract({
  id: 'putPolicy',
  summary: 'Create a policy, or a new version of it',
  description: `${PUT_DESCRIPTION} In a form, the file replaces \`policy_yaml\`, and an empty description is left out of account.`,
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
  summary: 'Create a policy, or a new version of it, by the name in the body',
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
    'By name, with all their versions. A very long list ends early, after 10,000 policies or 8 MiB of them, and a ' +
    '`Link` header with `rel="next"` leads to the rest.',
  tag: 'Policies',
  method: 'GET',
  path: '/policies/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
    archived: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: '`true` lists archived policies as well, which are left out otherwise' }),
  }),
  status: 200,
  reply: z.array(Policy),
  replyHeaders: { link: 'Where the rest of the list is, if there is more' },
  errors: [400, 401, 403, 429, 503],
});

export const getPolicy = contract({
  id: 'getPolicy',
  summary: 'Get one policy',
  description:
    'With all its versions and what happened to it. When no policy has the name any more, the one of this name that was ' +
    'archived last is given.',
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
    'Hides the policy and frees its name. What was judged by it stays as it is. A policy that is attached to an ' +
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
    path: z.string().meta({ description: 'Where in the document; empty for the whole of it' }),
    line: z.number().int(),
    column: z.number().int(),
    message: z.string(),
  })
  .meta({ id: 'PolicyProblem' });
export type PolicyProblem = z.infer<typeof PolicyProblem>;

export const validatePolicy = contract({
  id: 'validatePolicy',
  summary: 'Check the text of a policy without storing it',
  description: 'Tells the first 50 problems with their places. Lines and columns count from 1.',
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
