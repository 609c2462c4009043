import { z } from 'zod';
import { contract } from './contract.ts';
import { EpochSeconds, link, OrgName, Page, ResourceName, Tags, text, Visibility } from './primitives.ts';

export const TEMPLATE_MAX_BYTES = 64 * 1024;

const OrgParams = z.strictObject({ org: OrgName });
const FlowParams = z.strictObject({ org: OrgName, flow_name: ResourceName });

const Template = z
  .union(
    [text(TEMPLATE_MAX_BYTES), z.array(text(255)).max(1000)],
    'must be YAML text of at most 64 KiB, or a list of names',
  )
  .meta({ description: 'YAML text of the template, or (deprecated) a list of attestation names' });

export const Flow = z
  .object({
    id: z.string(),
    org: z.string(),
    name: z.string(),
    description: z.string(),
    visibility: Visibility,
    template: Template,
    repo_url: z.string(),
    tags: Tags,
    created_at: EpochSeconds,
    created_by: z.string(),
    last_modified_at: EpochSeconds,
    latest_activity_at: EpochSeconds,
    last_deployment_at: EpochSeconds.nullable(),
    auto_created: z.boolean().meta({ description: 'Whether it was created automatically by evidence that named it' }),
    html_url: z.string(),
  })
  .meta({ id: 'Flow' });
export type Flow = z.infer<typeof Flow>;

export const FlowInput = z
  .strictObject({
    name: ResourceName,
    description: text(10_000).nullish(),
    visibility: Visibility.nullish().meta({ default: 'private', description: 'Default for a new flow: `private`' }),
    template: Template.nullish(),
    repo_url: link(2048).nullish(),
  })
  .meta({ id: 'FlowInput', description: 'Absent or null fields are kept; other fields are replaced' });
export type FlowInput = z.infer<typeof FlowInput>;

export const putFlow = contract({
  id: 'putFlow',
  summary: 'Create or update a flow',
  description:
    'Creates the flow named in the body, or updates it. Repeating an identical request changes nothing and ' +
    'succeeds. A new flow takes over a name that another flow had before it was renamed.',
  tag: 'Flows',
  method: 'PUT',
  path: '/flows/:org',
  access: 'record_evidence',
  dryRun: true,
  params: OrgParams,
  body: FlowInput,
  status: { created: 201, updated: 200 },
  reply: z.string(),
  errors: [400, 401, 403, 413, 429, 503],
});

export const putFlowTemplate = contract({
  id: 'putFlowTemplate',
  summary: 'Create or update a flow together with its template file',
  description:
    'Like the JSON form, with the template as an uploaded YAML file. The file replaces `template` in the JSON.',
  tag: 'Flows',
  method: 'PUT',
  path: '/flows/:org/template_file',
  access: 'record_evidence',
  dryRun: true,
  params: OrgParams,
  body: FlowInput,
  form: {
    json: 'data_json',
    file: { name: 'template_file', description: 'The template, in YAML', maxBytes: TEMPLATE_MAX_BYTES },
  },
  status: { created: 201, updated: 200 },
  reply: z.string(),
  errors: [400, 401, 403, 413, 429, 503],
});

const FlowPage = z
  .object({
    data: z.array(Flow),
    pagination: z.object({
      total: z.number().int(),
      page: z.number().int(),
      per_page: z.number().int(),
      page_count: z.number().int(),
    }),
  })
  .meta({ id: 'FlowPage' });

export const listFlows = contract({
  id: 'listFlows',
  summary: 'List the flows of an org',
  description:
    'Without `page` and `per_page`, returns a plain array of at most 10,000 flows; a `Link` header with ' +
    '`rel="next"` points to the rest. With either of them, returns one page in an envelope. Archived flows are ' +
    'not listed.',
  tag: 'Flows',
  method: 'GET',
  path: '/flows/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    page: Page.optional(),
    per_page: z.coerce.number().int().min(1).max(100).optional(),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
    search_by_name: z
      .string()
      .regex(/^[a-zA-Z0-9.\-_~]+$/, 'must contain only letters, digits, and . - _ ~, at least one')
      .max(255)
      .optional()
      .meta({ description: 'Filter by part of the name' }),
    case_sensitive: z.enum(['true', 'false']).optional(),
    tag: z
      .union([text(600), z.array(text(600)).max(20)], 'must be key or key:value, at most 20 times')
      .optional()
      .meta({ description: 'Filter by tag, `key` or `key:value`; repeat to require several' }),
    sort: z.enum(['name', 'latest_activity']).optional(),
    sort_direction: z.enum(['asc', 'desc']).optional(),
  }),
  status: 200,
  reply: z.union([z.array(Flow), FlowPage]),
  errors: [400, 401, 403, 429, 503],
});

export const getFlow = contract({
  id: 'getFlow',
  summary: 'Get one flow',
  description: 'Also resolves former names of the flow.',
  tag: 'Flows',
  method: 'GET',
  path: '/flows/:org/:flow_name',
  access: 'read',
  params: FlowParams,
  status: 200,
  reply: Flow,
  errors: [400, 401, 403, 404, 429, 503],
});

export const renameFlow = contract({
  id: 'renameFlow',
  summary: 'Rename a flow',
  description: 'The old name keeps resolving until another flow uses it.',
  tag: 'Flows',
  method: 'PUT',
  path: '/flows/:org/:flow_name/rename',
  access: 'record_evidence',
  dryRun: true,
  params: FlowParams,
  body: z.strictObject({ new_name: ResourceName }).meta({ id: 'FlowRename' }),
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const archiveFlow = contract({
  id: 'archiveFlow',
  summary: 'Archive a flow',
  description: 'Hides the flow and frees its name. All its records are kept and still count as evidence.',
  tag: 'Flows',
  method: 'PUT',
  path: '/flows/:org/:flow_name/archive',
  access: 'record_evidence',
  dryRun: true,
  params: FlowParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});
