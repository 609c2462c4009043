import { z } from 'zod';
import { BinaryReply, contract } from './contract.ts';
import {
  CommitSha,
  ComplianceStatus,
  Explanation,
  ExternalUrls,
  Fingerprint,
  FingerprintPrefix,
  FlowName,
  FlowParams,
  GitCommitInfo,
  Links,
  OrgParams,
  Pagination,
  PerPage,
  RepoInfo,
  repeated,
  TrailName,
  TrailParams,
  TrailState,
  Unplaced,
  UserData,
} from './evidence.ts';
import { TEMPLATE_MAX_BYTES } from './flows.ts';
import { EpochSeconds, link, OrgName, Page, QueryTime, Tags, text, Unreadable } from './primitives.ts';

export const TrailInput = z
  .strictObject({
    name: TrailName,
    description: text(10_000).nullish(),
    user_data: UserData.nullish(),
    git_commit_info: GitCommitInfo.nullish(),
    repo_info: RepoInfo.nullish(),
    external_urls: ExternalUrls.nullish(),
    origin_url: link(2048).nullish(),
    template: text(TEMPLATE_MAX_BYTES).nullish().meta({ description: 'YAML text of a template for this trail only' }),
  })
  .meta({ id: 'TrailInput', description: 'Absent or null fields are kept; other fields are replaced' });
export type TrailInput = z.infer<typeof TrailInput>;

export const beginTrail = contract({
  id: 'beginTrail',
  summary: 'Create or update a trail',
  description:
    'Creates the trail named in the body, or updates the fields that are sent. A new trail pins the current ' +
    'template of the flow; a template sent in the request, as text or as a file, is pinned instead. Repeating an ' +
    'identical request changes nothing and succeeds.',
  tag: 'Trails',
  method: 'PUT',
  path: '/trails/:org/:flow_name',
  access: 'record_evidence',
  dryRun: true,
  addsEvidence: true,
  params: FlowParams,
  body: TrailInput,
  form: {
    json: 'data_json',
    file: { name: 'template_file', description: 'The template, in YAML', maxBytes: TEMPLATE_MAX_BYTES },
  },
  status: { created: 201, updated: 200 },
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

const TrailEvent = z
  .looseObject({ type: z.string(), timestamp: EpochSeconds, user: z.string() })
  .meta({ id: 'TrailEvent', description: 'An event in a trail' });

export const TrailSummary = z
  .object({
    name: z.string(),
    description: z.string(),
    flow_name: z.string(),
    compliance_state: TrailState,
    is_compliant: z.boolean(),
    git_commit_info: GitCommitInfo.nullable(),
    origin_url: z.string().nullable(),
    user_data: z.unknown(),
    created_at: EpochSeconds,
    created_by: z.string(),
    last_modified_at: EpochSeconds,
    unreadable: Unreadable,
    html_url: z.string(),
  })
  .meta({ id: 'TrailSummary' });
export type TrailSummary = z.infer<typeof TrailSummary>;

export const Trail = z
  .object({
    ...TrailSummary.shape,
    id: z.string(),
    org: z.string(),
    flow: z.object({ name: z.string(), tags: Tags }),
    auto_created: z.boolean(),
    external_urls: z.record(z.string(), z.unknown()),
    repo_ids: z.array(z.string()),
    template: z.object({
      version: z.number(),
      trail: z.object({ attestations: z.array(z.unknown()), artifacts: z.array(z.unknown()) }),
      content: z.union([z.string(), z.array(z.string())]),
    }),
    compliance_status: ComplianceStatus,
    pending: z
      .array(Unplaced)
      .meta({ description: 'Attestations about artifacts that are not in the trail, with the nearest candidates' }),
    events: z.array(TrailEvent).meta({ description: 'The newest 1,000, oldest first' }),
  })
  .meta({ id: 'Trail' });
export type Trail = z.infer<typeof Trail>;

export const getTrail = contract({
  id: 'getTrail',
  summary: 'Get one trail with its verdict',
  tag: 'Trails',
  method: 'GET',
  path: '/trails/:org/:flow_name/:trail_name',
  access: 'read',
  params: TrailParams,
  status: 200,
  reply: Trail,
  errors: [400, 401, 403, 404, 429, 503],
});

const TrailPage = z.object({ data: z.array(TrailSummary), pagination: Pagination }).meta({ id: 'TrailPage' });

export const listTrails = contract({
  id: 'listTrails',
  summary: 'List the trails of an org, newest first',
  tag: 'Trails',
  method: 'GET',
  path: '/trails/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    page: Page.optional(),
    per_page: PerPage(100),
    flow: FlowName.optional(),
    fingerprint: FingerprintPrefix.optional().meta({
      description: 'Filter by artifact: its fingerprint, or at least its first 5 digits',
    }),
    commit: CommitSha.optional().meta({ description: 'Filter by commit' }),
    flow_tag: repeated(text(600), 20).meta({
      description: 'Filter by tag of the flow, `key=value` or `key`; repeat to require several',
    }),
  }),
  status: 200,
  reply: TrailPage,
  errors: [400, 401, 403, 404, 429, 503],
});

export const listFlowTrails = contract({
  id: 'listFlowTrails',
  summary: 'List the trails of a flow, newest first',
  description:
    'Without `page` and `per_page`, returns a plain array of the newest 100 trails; a `Link` header points to the ' +
    'rest. With either of them, returns one page in an envelope.',
  tag: 'Trails',
  method: 'GET',
  path: '/trails/:org/:flow_name',
  access: 'read',
  params: FlowParams,
  query: z.strictObject({
    page: Page.optional(),
    per_page: PerPage(100),
    commit: z
      .string()
      .regex(/^[a-f0-9]{6,40}$/, 'must be 6 to 40 lower-case hexadecimal digits')
      .optional()
      .meta({ description: 'Filter by commit: all of its digits, or at least the first 6', examples: ['bbbbbb'] }),
    fingerprint: Fingerprint.optional().meta({ description: 'Filter by artifact' }),
    branch: text(1024).optional().meta({ description: 'Filter by the branch of the commit of the trail' }),
    from: QueryTime.optional().meta({ description: 'Only trails created at or after this time' }),
    to: QueryTime.optional().meta({ description: 'Only trails created at or before this time' }),
  }),
  status: 200,
  reply: z.union([z.array(TrailSummary), TrailPage]),
  errors: [400, 401, 403, 404, 429, 503],
});

export const explainTrail = contract({
  id: 'explainTrail',
  summary: 'Explain the verdict on a trail',
  description:
    'A tree with what each requirement needs, what was found, whether that is sufficient, and how to fix it.',
  tag: 'Trails',
  method: 'GET',
  path: '/trails/:org/:flow_name/:trail_name/explain',
  access: 'read',
  params: TrailParams,
  status: 200,
  reply: Explanation,
  errors: [400, 401, 403, 404, 429, 503],
});

export const listTrailEvents = contract({
  id: 'listTrailEvents',
  summary: 'List the events of a trail, newest first',
  tag: 'Trails',
  method: 'GET',
  path: '/trails/:org/:flow_name/:trail_name/events',
  access: 'read',
  params: TrailParams,
  query: z.strictObject({
    per_page: PerPage(1000),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from `pagination.next`' }),
  }),
  status: 200,
  reply: z
    .object({
      data: z.array(TrailEvent),
      pagination: z.object({ per_page: z.number().int(), next: z.string().nullable() }),
    })
    .meta({ id: 'TrailEventPage' }),
  errors: [400, 401, 403, 404, 429, 503],
});

export const searchCommitTrails = contract({
  id: 'searchCommitTrails',
  summary: 'List the trails of a commit, newest first',
  description:
    'Searches all flows, including archived ones. A trail matches if its own commit or that of its contents does.',
  tag: 'Search',
  method: 'GET',
  path: '/search/:org/commit/:sha/trails',
  access: 'read',
  params: z.strictObject({ org: OrgName, sha: CommitSha }),
  query: z.strictObject({ page: Page.optional(), per_page: PerPage(50) }),
  status: 200,
  reply: z
    .object({
      page: z.number().int(),
      per_page: z.number().int(),
      total_pages: z.number().int(),
      total_count: z.number().int(),
      trails: z.array(
        z.object({
          flow_name: z.string(),
          trail_name: z.string(),
          branch: z.string(),
          url: z.string(),
          _links: Links,
        }),
      ),
      _links: Links,
    })
    .meta({ id: 'CommitTrails' }),
  errors: [400, 401, 403, 429, 503],
});

export const getTrailPackage = contract({
  id: 'getTrailPackage',
  summary: 'Export a trail with its evidence as an audit package',
  description:
    'A `.tgz` with a readable page, the records as JSON, the attachments, and the proofs that the records are in the ' +
    'ledger. `waymark verify` proves it offline. Waits up to 5 seconds for entries that are not sealed yet, and names ' +
    'in `manifest.json` what is not proven.',
  tag: 'Trails',
  method: 'GET',
  path: '/trails/:org/:flow_name/:trail_name/audit_package',
  access: 'read',
  params: TrailParams,
  status: 200,
  reply: BinaryReply,
  replyType: 'application/gzip',
  errors: [400, 401, 403, 404, 429, 503],
});
