import { z } from 'zod';
import { contract } from './contract.ts';
import { Links, OrgParams, PerPage, repeated } from './evidence.ts';
import { POLICY_NAME_EXAMPLE } from './policies.ts';
import { EpochSeconds, OrgName, Page, Tags, text } from './primitives.ts';

const GivenName = z
  .string()
  .max(255)
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9.\-_]*$/,
    'must start with a letter or digit and contain only letters, digits, and . - _',
  );

export const EnvironmentName = GivenName.meta({ description: 'Current or former name of the environment' });

export const EnvironmentParams = z.strictObject({ org: OrgName, env_name: EnvironmentName });

/** `azure-apps` is a synonym of `cloudx-apps`; each environment keeps the one it was created with. */
export const environmentTypes = [
  'K8S',
  'ECS',
  'S3',
  'lambda',
  'server',
  'docker',
  'cloudx-apps',
  'azure-apps',
  'cloud-run',
  'logical',
] as const;
/** Types that report themselves: a logical environment consists of its members. */
export const physicalTypes = environmentTypes.filter((type) => type !== 'logical');

export const EnvironmentType = z.enum(environmentTypes);
export type EnvironmentType = z.infer<typeof EnvironmentType>;

export const POLICIES_PER_ENVIRONMENT = 100;

const Description = text(10_000);

const expectedInterval = (tooShort?: string) => z.number().int().min(30, tooShort).max(31_536_000);
const ExpectedInterval = expectedInterval();

const Unread = z.boolean().nullish().meta({ description: 'Stored and returned; has no effect' });

const IncludedEnvironments = z.array(EnvironmentName).max(1000).meta({
  description: 'Members of a logical environment: physical environments, in display order',
});

const PolicyNames = z
  .array(text(255))
  .max(POLICIES_PER_ENVIRONMENT)
  .meta({ description: 'Names of the attached policies' });

const Compliance = z.enum(['compliant', 'non-compliant', 'unknown']);

export const Environment = z
  .object({
    id: z.string().meta({ description: 'Does not change when the environment is renamed' }),
    org: z.string(),
    name: z.string(),
    type: EnvironmentType,
    description: z.string(),
    state: z
      .boolean()
      .nullable()
      .meta({ description: 'Verdict of the latest snapshot; null if no policy is attached' }),
    compliance: Compliance.meta({
      description:
        'Current verdict: that of the latest snapshot, or `unknown` if that is compliant and the next report is ' +
        'overdue (`stale`)',
    }),
    include_scaling: z.boolean().meta({ description: 'Stored and returned; has no effect' }),
    require_provenance: z.boolean().meta({ description: 'Stored and returned; has no effect' }),
    expected_report_interval_s: ExpectedInterval.nullable().meta({
      description: 'Seconds within which a report is expected; null if learned from past reports',
    }),
    policies: z.array(z.string()).meta({ description: 'Names of the attached policies' }),
    included_environments: z
      .array(z.string())
      .meta({ description: 'Names of the members of a logical environment, in the given order' }),
    tags: Tags,
    latest_snapshot_index: z.number().int().meta({ description: '0 before the first snapshot' }),
    last_reported_at: EpochSeconds.nullable().meta({
      description: 'Time of the latest report, whether or not it changed anything',
    }),
    last_changed_at: EpochSeconds.nullable().meta({ description: 'Time of the latest snapshot' }),
    stale: z.boolean().meta({ description: 'Whether a report is overdue' }),
    stale_since: EpochSeconds.nullable().meta({ description: 'Since when a report is overdue' }),
    created_at: EpochSeconds,
    created_by: z.string(),
    last_modified_at: EpochSeconds.meta({
      description: 'When its settings, name, tags, members, or policies last changed',
    }),
    html_url: z.string(),
  })
  .meta({ id: 'Environment' });
export type Environment = z.infer<typeof Environment>;

export const EnvironmentInput = z
  .strictObject({
    name: GivenName.meta({
      description: 'Updates the environment with this name, or creates it; former names do not count',
    }),
    type: EnvironmentType.meta({
      description: 'Which reports it accepts; `logical` for an environment that consists of others',
    }),
    description: Description.nullish().meta({
      description: 'An empty text keeps the stored one; use PATCH to clear it',
    }),
    include_scaling: Unread,
    require_provenance: Unread,
    expected_report_interval_s: ExpectedInterval.nullish().meta({
      description: 'Seconds within which a report is expected. Default: learned from past reports',
    }),
    included_environments: IncludedEnvironments.nullish(),
    policies: PolicyNames.nullish(),
  })
  .meta({ id: 'CreateEnvironmentPutInput', description: 'Absent or null fields are kept' });
export type EnvironmentInput = z.infer<typeof EnvironmentInput>;

export const putEnvironment = contract({
  id: 'putEnvironment',
  summary: 'Create or update an environment',
  description:
    'Repeating an identical request changes nothing and succeeds. The type cannot be changed. A snapshotter ' +
    'cannot send `included_environments`, `policies`, or `expected_report_interval_s`.',
  tag: 'Environments',
  method: 'PUT',
  path: '/environments/:org',
  access: 'report_environments',
  dryRun: true,
  params: OrgParams,
  body: EnvironmentInput,
  status: 201,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const EnvironmentPatch = z
  .strictObject({
    description: Description.nullish().meta({ description: 'An empty text clears it' }),
    include_scaling: Unread,
    require_provenance: Unread,
    expected_report_interval_s: z
      .union([z.literal(0), expectedInterval('must be at least 30, or 0')], 'must be a whole number')
      .nullish()
      .meta({
        description: 'Seconds within which a report is expected; 0 learns it from past reports again',
      }),
    included_environments: IncludedEnvironments.nullish(),
    policies: PolicyNames.nullish(),
  })
  .meta({ id: 'EnvironmentPatch', description: 'Absent or null fields are kept' });
export type EnvironmentPatch = z.infer<typeof EnvironmentPatch>;

export const patchEnvironment = contract({
  id: 'patchEnvironment',
  summary: 'Update fields of an environment',
  description:
    'Repeating an identical request changes nothing and succeeds. Name and type cannot be changed with ' +
    'this operation.',
  tag: 'Environments',
  method: 'PATCH',
  path: '/environments/:org/:env_name',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  body: EnvironmentPatch,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

const MAX_TYPES = 20;

const EnvironmentPage = z
  .object({
    environments: z.array(Environment),
    page: z.number().int(),
    per_page: z.number().int(),
    total_pages: z.number().int(),
    total_count: z.number().int(),
    _links: Links,
  })
  .meta({ id: 'EnvironmentPage' });

/** An empty text means absent, as clients send it for missing values. */
const TypeFilter = z
  .union([EnvironmentType, z.literal(''), z.array(EnvironmentType.or(z.literal(''))).max(MAX_TYPES)], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > MAX_TYPES
        ? `must be given at most ${MAX_TYPES} times`
        : `must be one of ${environmentTypes.join(', ')}`,
  })
  .optional();

export const listEnvironments = contract({
  id: 'listEnvironments',
  summary: 'List the environments of an org',
  description:
    'Without `page` and `per_page`, returns a plain array of at most 10,000; a `Link` header with `rel="next"` ' +
    'points to the rest. With either of them, returns one page in an envelope. Archived environments are not ' +
    'listed.',
  tag: 'Environments',
  method: 'GET',
  path: '/environments/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    page: Page.optional().meta({ description: 'Default: 1' }),
    per_page: PerPage(50).meta({ description: 'Environments per page. Default: 20' }),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
    name: text(255).optional().meta({ description: 'Filter by part of the name, ignoring case' }),
    type: TypeFilter.meta({ description: 'Filter by type; repeat to match any of several' }),
    space_id: repeated(text(255), 20).meta({ description: 'Accepted and ignored' }),
    tag: repeated(text(600), 20).meta({
      description: 'Filter by tag, `key` or `key:value`; repeat to require several',
    }),
    compliance: repeated(Compliance, 3).meta({ description: 'Filter by verdict; repeat to match any of several' }),
    stale: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: '`true` for environments whose report is overdue, `false` for all others' }),
    sort: z.enum(['name', 'last_modified_at', 'last_changed_at']).optional().meta({ description: 'Default: `name`' }),
    sort_direction: z
      .enum(['asc', 'desc'])
      .optional()
      .meta({ description: 'Default: `asc` for names, `desc` for times' }),
  }),
  status: 200,
  reply: z.union([z.array(Environment), EnvironmentPage]),
  replyHeaders: { link: 'Link to the rest of the array, if any' },
  errors: [400, 401, 403, 429, 503],
});

export const getEnvironment = contract({
  id: 'getEnvironment',
  summary: 'Get one environment',
  description: 'Also resolves former names of the environment.',
  tag: 'Environments',
  method: 'GET',
  path: '/environments/:org/:env_name',
  access: 'read',
  params: EnvironmentParams,
  status: 200,
  reply: Environment,
  errors: [400, 401, 403, 404, 429, 503],
});

export const renameEnvironment = contract({
  id: 'renameEnvironment',
  summary: 'Rename an environment',
  description: 'The old name keeps resolving until another environment uses it.',
  tag: 'Environments',
  method: 'PUT',
  path: '/environments/:org/:env_name/rename',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  body: z
    .strictObject({
      new_name: GivenName.meta({ description: 'The new name; must not be the name of another environment' }),
    })
    .meta({ id: 'EnvironmentRename' }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const archiveEnvironment = contract({
  id: 'archiveEnvironment',
  summary: 'Archive an environment',
  description:
    'Hides the environment and frees its names: they no longer resolve to it, and a new environment can use them. ' +
    'All its records are kept; its deployments are still listed with those of the org.',
  tag: 'Environments',
  method: 'PUT',
  path: '/environments/:org/:env_name/archive',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});

export const joinEnvironment = contract({
  id: 'joinEnvironment',
  summary: 'Add a physical environment to a logical one',
  description: 'Adding an environment that is already included changes nothing and succeeds.',
  tag: 'Environments',
  method: 'PUT',
  path: '/environments/:org/:env_name/join',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  body: z
    .strictObject({ physical_env_name: EnvironmentName.meta({ description: 'Name of the environment to add' }) })
    .meta({ id: 'EnvironmentJoin' }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

const PolicySelection = z
  .strictObject({
    policy_names: z
      .array(text(255))
      .max(POLICIES_PER_ENVIRONMENT)
      .meta({ description: 'Names of policies', examples: [[POLICY_NAME_EXAMPLE]] }),
  })
  .meta({ id: 'PolicySelection' });

export const attachPolicies = contract({
  id: 'attachPolicies',
  summary: 'Attach policies to an environment',
  description:
    'Running artifacts are re-evaluated immediately. Attaching a policy that is already attached changes nothing ' +
    'and succeeds. An environment can have at most 100 policies; a logical one has none: its verdict follows from ' +
    'those of its members.',
  tag: 'Environments',
  method: 'POST',
  path: '/environments/:org/:env_name/policies',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  body: PolicySelection,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const detachPolicies = contract({
  id: 'detachPolicies',
  summary: 'Detach policies from an environment',
  description:
    'Running artifacts are re-evaluated immediately by the remaining policies. Detaching a policy that is not ' +
    'attached changes nothing and succeeds.',
  tag: 'Environments',
  method: 'DELETE',
  path: '/environments/:org/:env_name/policies',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  body: PolicySelection,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});
