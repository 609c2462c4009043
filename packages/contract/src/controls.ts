import { z } from 'zod';
import { Attestation } from './attestations.ts';
import { contract } from './contract.ts';
import { FlowName, Links, OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, filledText, OrgName, Page, QueryTime, Tags, text, Unreadable } from './primitives.ts';

const Identifier = z
  .string()
  .max(256)
  .regex(/^[a-zA-Z0-9\-._~]+$/, 'must contain only letters, digits, and - . _ ~, and at least one of them')
  .meta({ description: 'Identifier of the control', examples: ['SDLC-7'] });

/** These mean something else in a path, so a control of this name could not be read. */
const UNREACHABLE = ['.', '..', 'tags'];

const NewIdentifier = Identifier.refine(
  (identifier) => !UNREACHABLE.includes(identifier),
  `must not be one of ${UNREACHABLE.join(', ')}`,
);

const Name = filledText(255, 'must not be empty');
const Description = text(10_000);

const LINKS_MAX = 100;

const ControlLinks = z
  .record(
    text(255).refine((label) => label.length > 0, 'it must not be empty'),
    text(2048).refine((url) => /^https?:\/\/./i.test(url), 'must begin with http:// or https://'),
  )
  .refine((links) => Object.keys(links).length <= LINKS_MAX, `must have at most ${LINKS_MAX} keys`)
  .meta({ description: 'Links: label to URL', examples: [{ runbook: 'https://example.com/runbook' }] });

const ControlParams = z.strictObject({ org: OrgName, identifier: Identifier });
const Direction = z.enum(['asc', 'desc']);
const Choice = z.enum(['true', 'false']);

const pageOf = <Key extends string, Item extends z.ZodType>(key: Key, item: Item) =>
  z.object({
    ...({ [key]: z.array(item) } as Record<Key, z.ZodArray<Item>>),
    page: z.number().int(),
    per_page: z.number().int(),
    total_pages: z.number().int(),
    total_count: z.number().int(),
    _links: Links,
  });

const PageQuery = {
  page: Page.optional(),
  per_page: PerPage(100).meta({ description: 'Items per page. Default: 15' }),
};

const Control = z
  .object({
    identifier: z.string(),
    name: z.string(),
    description: z.string(),
    links: z.record(z.string(), z.string()),
    tags: Tags,
    version: z.number().int(),
    created_at: EpochSeconds,
    created_by: z.string(),
    archived: z.boolean(),
    policies_referencing: z
      .array(z.string())
      .meta({ description: 'Names of the policies whose latest version has a rule for this control' }),
    unreadable: Unreadable,
  })
  .meta({ id: 'Control' });
export type Control = z.infer<typeof Control>;

const beta = { tag: 'Controls', beta: 'controls' } as const;

export const createControl = contract({
  ...beta,
  id: 'createControl',
  summary: 'Create a control',
  description: 'An identifier cannot be reused, even if its control is archived.',
  method: 'POST',
  path: '/controls/:org',
  access: 'manage_controls',
  dryRun: true,
  params: OrgParams,
  body: z
    .strictObject({
      identifier: NewIdentifier,
      name: Name,
      description: Description.nullish(),
      links: ControlLinks.nullish(),
    })
    .meta({ id: 'ControlPostInput' }),
  status: 201,
  reply: Control,
  errors: [400, 401, 403, 409, 413, 429, 503],
});

export const updateControl = contract({
  ...beta,
  id: 'updateControl',
  summary: 'Edit a control',
  description: 'Each change creates a version. Repeating an identical request changes nothing and succeeds.',
  method: 'PUT',
  path: '/controls/:org/:identifier',
  access: 'manage_controls',
  dryRun: true,
  params: ControlParams,
  body: z
    .strictObject({ name: Name.nullish(), description: Description.nullish(), links: ControlLinks.nullish() })
    .meta({
      id: 'ControlPutInput',
      description: 'Absent or null fields are kept; other fields are replaced, `links` as a whole',
    }),
  status: 200,
  reply: Control,
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const archiveControl = contract({
  ...beta,
  id: 'archiveControl',
  summary: 'Archive a control',
  description:
    'The control leaves the catalog and keeps its history, decisions, and identifier. Archiving an archived ' +
    'control succeeds and records nothing.',
  method: 'POST',
  path: '/controls/:org/:identifier/archive',
  access: 'manage_controls',
  dryRun: true,
  params: ControlParams,
  status: 200,
  reply: Control,
  errors: [400, 401, 403, 404, 429, 503],
});

export const unarchiveControl = contract({
  ...beta,
  id: 'unarchiveControl',
  summary: 'Unarchive a control',
  description: 'Unarchiving a control that is not archived succeeds and records nothing.',
  method: 'POST',
  path: '/controls/:org/:identifier/unarchive',
  access: 'manage_controls',
  dryRun: true,
  params: ControlParams,
  status: 200,
  reply: Control,
  errors: [400, 401, 403, 404, 429, 503],
});

export const getControl = contract({
  ...beta,
  id: 'getControl',
  summary: 'Get one control',
  method: 'GET',
  path: '/controls/:org/:identifier',
  access: 'read',
  params: ControlParams,
  status: 200,
  reply: Control,
  errors: [400, 401, 403, 404, 429, 503],
});

export const listControls = contract({
  ...beta,
  id: 'listControls',
  summary: 'List the controls of an org',
  method: 'GET',
  path: '/controls/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    ...PageQuery,
    search: text(256).optional().meta({ description: 'Filter by part of the name or identifier, ignoring case' }),
    tag: repeated(text(600), 20).meta({
      description: 'Filter by tag, `key` or `key:value`; repeat to require several',
    }),
    archived: Choice.optional().meta({ description: 'With `true`, archived controls are listed instead' }),
    sort: z.enum(['name', 'identifier']).optional().meta({ description: 'Default: `name`' }),
    sort_direction: Direction.optional(),
  }),
  status: 200,
  reply: pageOf('controls', Control).meta({ id: 'ControlPage' }),
  errors: [400, 401, 403, 429, 503],
});

export const listControlTags = contract({
  ...beta,
  id: 'listControlTags',
  summary: 'List the tags of all controls',
  description: 'Returns every key with its values, sorted. At most 10,000 values in total.',
  method: 'GET',
  path: '/controls/:org/tags',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: z
    .object({ tags: z.array(z.object({ key: z.string(), values: z.array(z.string()) })) })
    .meta({ id: 'ControlTags' }),
  errors: [400, 401, 403, 429, 503],
});

const ControlVersion = z
  .object({
    version: z.number().int(),
    kind: z.enum(['Created', 'Edited', 'Archived', 'Unarchived']),
    identifier: z.string(),
    name: z.string(),
    description: z.string(),
    links: z.record(z.string(), z.string()),
    created_at: EpochSeconds,
    created_by: z.string(),
    unreadable: Unreadable,
  })
  .meta({ id: 'ControlVersion', description: 'A control after a change, and the change' });
export type ControlVersion = z.infer<typeof ControlVersion>;

export const listControlVersions = contract({
  ...beta,
  id: 'listControlVersions',
  summary: 'List the versions of a control, newest first',
  method: 'GET',
  path: '/controls/:org/:identifier/versions',
  access: 'read',
  params: ControlParams,
  query: z.strictObject({ ...PageQuery, sort_direction: Direction.optional() }),
  status: 200,
  reply: pageOf('versions', ControlVersion).meta({ id: 'ControlVersionPage' }),
  errors: [400, 401, 403, 404, 429, 503],
});

export const getControlVersion = contract({
  ...beta,
  id: 'getControlVersion',
  summary: 'Get one version of a control',
  method: 'GET',
  path: '/controls/:org/:identifier/versions/:version',
  access: 'read',
  params: z.strictObject({
    ...ControlParams.shape,
    version: z.coerce.number().int().min(1).max(2_147_483_647).meta({ description: 'Number of the version' }),
  }),
  status: 200,
  reply: ControlVersion,
  errors: [400, 401, 403, 404, 429, 503],
});

const ControlDecision = z
  .object({
    ...Attestation.shape,
    control_version: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Version of the control at the time of the decision; null if before the first version' }),
  })
  .meta({ id: 'ControlDecision', description: 'A decision attestation about a control' });
export type ControlDecision = z.infer<typeof ControlDecision>;

export const listControlDecisions = contract({
  ...beta,
  id: 'listControlDecisions',
  summary: 'List the decisions on a control, newest first',
  method: 'GET',
  path: '/controls/:org/:identifier/decisions',
  access: 'read',
  params: ControlParams,
  query: z.strictObject({
    ...PageQuery,
    is_compliant: Choice.optional(),
    from_timestamp: QueryTime.optional(),
    to_timestamp: QueryTime.optional(),
    flow_id: repeated(z.uuid('must be the id of a flow'), 50).meta({
      description: 'Filter by flow id; repeat to match any of several, also in combination with `flow_name`',
    }),
    flow_name: repeated(FlowName, 50),
    sort_direction: Direction.optional(),
  }),
  status: 200,
  reply: pageOf('decisions', ControlDecision).meta({ id: 'ControlDecisionPage' }),
  errors: [400, 401, 403, 404, 429, 503],
});

export const getControlDecision = contract({
  ...beta,
  id: 'getControlDecision',
  summary: 'Get one decision on a control',
  method: 'GET',
  path: '/controls/:org/:identifier/decisions/:attestation_id',
  access: 'read',
  params: z.strictObject({
    ...ControlParams.shape,
    attestation_id: z.uuid('must be the id of an attestation').meta({ description: 'Id of the attestation' }),
  }),
  status: 200,
  reply: ControlDecision,
  errors: [400, 401, 403, 404, 429, 503],
});

export const getControlCoverage = contract({
  ...beta,
  id: 'getControlCoverage',
  summary: 'List the environments that require a control',
  description:
    'An environment covers a control if the latest version of an attached policy has a rule for the control, for ' +
    'any type of evidence. It passes if every artifact that runs there satisfies each of these rules. Logical ' +
    'environments have no policies and are omitted. `total`, `covered`, and `coverage_percent` refer to all ' +
    'environments that match `search`, not only to the listed ones.',
  method: 'GET',
  path: '/controls/:org/:identifier/coverage',
  access: 'read',
  params: ControlParams,
  query: z.strictObject({
    ...PageQuery,
    search: text(255).optional().meta({ description: 'Filter by part of the environment name, ignoring case' }),
    covered: Choice.optional().meta({
      description: 'Only environments that cover the control (`true`), or only those that do not (`false`)',
    }),
  }),
  status: 200,
  reply: pageOf(
    'environments',
    z.object({
      name: z.string(),
      type: z.string(),
      covered: z.boolean(),
      policies: z.array(z.string()).meta({ description: 'Names of the attached policies with a rule for the control' }),
      passing: z
        .boolean()
        .nullable()
        .meta({
          description:
            'Whether everything that runs there satisfies the rules for the control; waivers do not count. Null ' +
            'if no policy requires the control, nothing was reported yet, or the latest version of a policy has ' +
            'not judged everything yet',
        }),
      artifacts: z.number().int().meta({ description: 'Running artifacts in an environment that covers the control' }),
      failing_artifacts: z.number().int().meta({ description: 'Running artifacts that break a rule for the control' }),
    }),
  )
    .extend({
      total: z.number().int(),
      covered: z.number().int(),
      passing: z.number().int().meta({ description: 'Number of environments whose `passing` is true' }),
      coverage_percent: z.number().meta({ description: 'With one decimal; 0 if there are no environments' }),
    })
    .meta({ id: 'ControlCoverage' }),
  errors: [400, 401, 403, 404, 429, 503],
});
