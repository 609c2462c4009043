import { contract } from '@waymark/contract';
import { z } from 'zod';

/**
 * The reads of an import. Another service adds fields and leaves out others, so these shapes require only what an
 * import cannot do without.
 */

const Text = z.string().nullish();
const Moment = z.union([z.number(), z.string()]).nullish();
const Members = z.record(z.string(), z.unknown()).nullish();
const Template = z.union([z.string(), z.array(z.string())]).nullish();
const Anything = z.unknown().optional();
const Names = z.array(z.string()).nullish();

const reading = { summary: 'Read for an import', tag: 'Import', method: 'GET', access: 'read' } as const;
const answering = { status: 200, errors: [] } as const;

const OrgParams = z.object({ org: z.string() });
const FlowParams = z.object({ org: z.string(), flow_name: z.string() });
const TrailParams = z.object({ org: z.string(), flow_name: z.string(), trail_name: z.string() });
const PageQuery = z.object({ page: z.number().optional(), per_page: z.number().optional() });
const Pagination = z.object({ page: z.number(), page_count: z.number() });

const SourceFlow = z.object({
  name: z.string(),
  description: Text,
  visibility: z.enum(['private', 'public']).nullish(),
  template: Template,
  repo_url: Text,
  tags: z.record(z.string(), z.string()).nullish(),
});
export type SourceFlow = z.infer<typeof SourceFlow>;

export const readFlows = contract({
  id: 'readFlows',
  ...reading,
  path: '/flows/:org',
  params: OrgParams,
  query: PageQuery,
  ...answering,
  reply: z.object({ data: z.array(SourceFlow), pagination: Pagination }),
});

export const readTrails = contract({
  id: 'readTrails',
  ...reading,
  path: '/trails/:org',
  params: OrgParams,
  query: PageQuery.extend({ flow: z.string() }),
  ...answering,
  reply: z.object({
    data: z.array(z.object({ name: z.string(), created_at: Moment })),
    pagination: Pagination,
  }),
});

const TrailEvent = z.object({
  type: z.string(),
  timestamp: Moment,
  attestation_id: Text,
  artifact_fingerprint: Text,
  repo_info: Members,
});
export type TrailEvent = z.infer<typeof TrailEvent>;

const SlotStatus = z.object({
  attestation_name: z.string(),
  attestation_id: Text,
  overridden_attestation_id: Text,
});

const SourceTrail = z.object({
  name: z.string(),
  description: Text,
  git_commit_info: Members,
  origin_url: Text,
  external_urls: Members,
  user_data: Anything,
  template: z.object({ content: Template }).nullish(),
  created_at: Moment,
  created_by: Text,
  html_url: Text,
  events: z.array(TrailEvent).nullish(),
  compliance_status: z
    .object({
      attestations_statuses: z.array(SlotStatus).nullish(),
      artifacts_statuses: z
        .record(
          z.string(),
          z.object({ artifact_fingerprint: Text, attestations_statuses: z.array(SlotStatus).nullish() }),
        )
        .nullish(),
    })
    .nullish(),
});
export type SourceTrail = z.infer<typeof SourceTrail>;

export const readTrail = contract({
  id: 'readTrail',
  ...reading,
  path: '/trails/:org/:flow_name/:trail_name',
  params: TrailParams,
  ...answering,
  reply: SourceTrail,
});

const SourceArtifact = z.object({
  id: Text,
  fingerprint: z.string(),
  filename: z.string(),
  trail_name: Text,
  template_reference_name: Text,
  description: Text,
  git_commit: Text,
  git_commit_info: Members,
  repo_info: Members,
  commits_list: z.array(z.unknown()).nullish(),
  commit_url: Text,
  build_url: Text,
  repo_url: Text,
  is_compliant: z.boolean().nullish(),
  template: Anything,
  user_data: Anything,
  external_urls: Members,
  annotations: Members,
  created_at: Moment,
  created_by: Text,
  html_url: Text,
});
export type SourceArtifact = z.infer<typeof SourceArtifact>;

export const readArtifact = contract({
  id: 'readArtifact',
  ...reading,
  path: '/artifacts/:org/:flow_name/fingerprint/:fingerprint',
  params: FlowParams.extend({ fingerprint: z.string() }),
  query: z.object({ trail: z.string().optional() }),
  ...answering,
  reply: SourceArtifact,
});

export const readArtifacts = contract({
  id: 'readArtifacts',
  ...reading,
  path: '/artifacts/:org',
  params: OrgParams,
  query: PageQuery.extend({ flow_name: z.string() }),
  ...answering,
  reply: z.array(z.object({ fingerprint: z.string(), trail_name: Text })),
});

/** Some services keep what a type has of its own beside the common fields, so all fields are kept. */
const SourceAttestation = z.looseObject({
  attestation_id: z.string(),
  attestation_name: z.string(),
  attestation_type: z.string(),
  is_compliant: z.boolean().nullish(),
  artifact_fingerprint: Text,
  target_artifacts: Names,
  git_commit_info: Members,
  repo_info: Members,
  description: Text,
  annotations: Members,
  external_urls: Members,
  origin_url: Text,
  user_data: Anything,
  attestation_data: Anything,
  control: Text,
  overrides: Text,
  override_reason: Text,
  evidence_archive_fingerprint: Text,
  evidence_archive_path: Text,
  created_at: Moment,
  reported_by: Text,
  html_url: Text,
});
export type SourceAttestation = z.infer<typeof SourceAttestation>;

export const readAttestation = contract({
  id: 'readAttestation',
  ...reading,
  path: '/attestations/:org',
  params: OrgParams,
  query: z.object({ attestation_id: z.string() }),
  ...answering,
  reply: z.object({ data: z.array(SourceAttestation) }),
});

export const readTrailAttestations = contract({
  id: 'readTrailAttestations',
  ...reading,
  path: '/attestations/:org/:flow_name/trail/:trail_name/:attestation_name',
  params: TrailParams.extend({ attestation_name: z.string() }),
  ...answering,
  reply: z.array(SourceAttestation),
});

export const readAttachment = contract({
  id: 'readAttachment',
  ...reading,
  path: '/attestations/:org/:flow_name/trail/:trail_name/attestation/:attestation_id/evidence',
  params: TrailParams.extend({ attestation_id: z.string() }),
  ...answering,
  reply: z.string(),
  replyType: 'application/octet-stream',
});

const SourceTypeVersion = z.object({
  version: z.number(),
  comment: Text,
  type_schema: Members,
  evaluator: z.object({ content_type: z.string(), rules: Names }).nullish(),
  summary: z.array(z.object({ name: z.string(), expression: z.string() })).nullish(),
});
export type SourceTypeVersion = z.infer<typeof SourceTypeVersion>;

const SourceType = z.object({ name: z.string(), description: Text, versions: z.array(SourceTypeVersion) });
export type SourceType = z.infer<typeof SourceType>;

export const readTypes = contract({
  id: 'readTypes',
  ...reading,
  path: '/custom-attestation-types/:org',
  params: OrgParams,
  ...answering,
  reply: z.array(SourceType),
});

const SourceEnvironment = z.object({
  name: z.string(),
  type: z.string(),
  description: Text,
  include_scaling: z.boolean().nullish(),
  require_provenance: z.boolean().nullish(),
  included_environments: Names,
  policies: Names,
  last_reported_at: Moment,
  tags: z.record(z.string(), z.string()).nullish(),
});
export type SourceEnvironment = z.infer<typeof SourceEnvironment>;

export const readEnvironments = contract({
  id: 'readEnvironments',
  ...reading,
  path: '/environments/:org',
  params: OrgParams,
  ...answering,
  reply: z.array(SourceEnvironment),
});

const Pod = z.object({
  namespace: Text,
  creationTimestamp: z.number().nullish(),
  owners: z.array(z.unknown()).nullish(),
});
const Task = z.object({ task_arn: Text, cluster_name: Text, service_name: Text }).nullish();
const Run = z.object({ kind: Text, revision_name: Text, service_name: Text, job_name: Text }).nullish();

const RunningArtifact = z.object({
  name: z.string(),
  fingerprint: z.string(),
  creationTimestamp: z.array(z.number()).nullish(),
  annotation: z.object({ now: z.number() }).nullish(),
  pods: z.record(z.string(), Pod).nullish(),
  container_task_context: Task,
  ecs_context: Task,
  serverless_run_context: Run,
  cloud_run_context: Run,
  app_context: z.object({ app_name: Text, app_kind: Text, digests_source: Text }).nullish(),
});
export type RunningArtifact = z.infer<typeof RunningArtifact>;

const SourceSnapshot = z.object({ index: z.number(), artifacts: z.array(RunningArtifact) });
export type SourceSnapshot = z.infer<typeof SourceSnapshot>;

export const readSnapshot = contract({
  id: 'readSnapshot',
  ...reading,
  path: '/snapshots/:org/:env_name/:snapshot_expression',
  params: OrgParams.extend({ env_name: z.string(), snapshot_expression: z.string() }),
  ...answering,
  reply: SourceSnapshot,
});
