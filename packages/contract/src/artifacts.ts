import { z } from 'zod';
import { BinaryReply, contract } from './contract.ts';
import {
  Annotations,
  ArtifactStatus,
  CommitPrefix,
  CommitSha,
  EvidenceHeaders,
  ExternalUrls,
  Fingerprint,
  FlowFingerprintParams,
  FlowName,
  FlowParams,
  FreeJson,
  GitCommitInfo,
  OrgParams,
  PerPage,
  RepoInfo,
  TemplateArtifactName,
  TrailName,
  TrailState,
  UserData,
} from './evidence.ts';
import { EpochSeconds, link, OrgName, Page, text, Unreadable } from './primitives.ts';

/** Spec 2.3. With `trail_name` it is the first of the two variants, without it the second. */
/** Stands for an unreported commit: clients show the first seven characters, so it is never empty. */
export const NO_COMMIT = 'unknown';

export const ArtifactInput = z
  .strictObject({
    fingerprint: Fingerprint,
    filename: text(4096).min(1, 'must not be empty'),
    build_url: link(4096),
    commit_url: link(4096),
    git_commit: CommitSha.nullish(),
    git_commit_info: GitCommitInfo.nullish(),
    repo_info: RepoInfo.nullish(),
    repo_url: link(4096).nullish(),
    trail_name: TrailName.nullish().meta({
      description:
        'Trail of the artifact, created if it does not exist. Default: named after the commit, or else ' +
        'the fingerprint',
    }),
    template_reference_name: TemplateArtifactName.nullish(),
    description: text(10_000).nullish(),
    commits_list: z.array(GitCommitInfo).max(10_000).nullish(),
    is_compliant: z.boolean().nullish().meta({ description: 'Stored and returned; does not affect the verdict' }),
    template: FreeJson.nullish().meta({
      description: 'Stored and returned; does not affect the verdict',
      examples: ['version: 1'],
    }),
    external_urls: ExternalUrls.nullish(),
    annotations: Annotations.nullish(),
    user_data: UserData.nullish(),
  })
  .meta({ id: 'CreateArtifact' });
export type ArtifactInput = z.infer<typeof ArtifactInput>;

export const reportArtifact = contract({
  id: 'reportArtifact',
  summary: 'Report an artifact into a flow',
  description:
    'Every report is kept. If the trail does not exist, it is created with the template of the flow. A trail can ' +
    'contain at most 2,000 different artifacts. A repeated request with the same `Waymark-Evidence-Id` is ' +
    'recorded once.',
  tag: 'Artifacts',
  method: 'POST',
  path: '/artifacts/:org/:flow_name',
  access: 'record_evidence',
  dryRun: true,
  addsEvidence: true,
  params: FlowParams,
  headers: EvidenceHeaders,
  body: ArtifactInput,
  status: 201,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

const Running = z.object({ environment_name: z.string(), snapshot_index: z.number().int() });

export const Artifact = z
  .object({
    id: z.string(),
    org: z.string(),
    flow_name: z.string(),
    trail_name: z.string(),
    template_reference_name: z.string().nullable(),
    fingerprint: z.string(),
    filename: z.string(),
    description: z.string(),
    git_commit: z.string(),
    git_commit_info: GitCommitInfo.nullable(),
    repo_info: RepoInfo.nullable(),
    commits_list: z.array(GitCommitInfo),
    commit_url: z.string(),
    build_url: z.string(),
    repo_url: z.string(),
    is_compliant: z.boolean().nullable().meta({ description: 'As sent by the reporter; the verdict is in `state`' }),
    template: z.unknown(),
    state: TrailState,
    state_info: z.string(),
    compliance_status: ArtifactStatus,
    user_data: z.unknown(),
    external_urls: z.record(z.string(), z.unknown()),
    annotations: z.record(z.string(), z.unknown()),
    evidence: z.record(z.string(), z.unknown()),
    approvals: z.array(z.number().int()),
    deployments: z.array(z.number().int()).meta({
      description: 'Snapshots of all environments in which it started; at most the newest 100 of each',
    }),
    running: z.array(Running).meta({
      description:
        'Environments in which it is running, with the snapshot in which it started; at most 1,000, newest first',
    }),
    exited: z.array(Running).meta({
      description:
        'Environments in which it ran and no longer does, with the snapshot in which it exited; at most 1,000, ' +
        'newest first',
    }),
    history: z.array(z.object({ event: z.string(), timestamp: EpochSeconds })).meta({
      description: 'Reports about it and, for the newest 100 runs, where it started and stopped running',
    }),
    commit_lead_times: z.record(z.string(), z.number()).meta({
      description:
        'Seconds from the commit to the first start, by environment; empty if the time of the commit is unknown',
    }),
    build_lead_times: z.record(z.string(), z.number()).meta({
      description: 'Seconds from the report of the artifact to the first start, by environment',
    }),
    created_at: EpochSeconds,
    created_by: z.string(),
    claimed_at: EpochSeconds.nullable(),
    late: z.boolean().meta({ description: 'Received more than five minutes after the claimed time' }),
    last_modified_at: EpochSeconds,
    unreadable: Unreadable,
    html_url: z.string(),
    api_url: z.string(),
  })
  .meta({ id: 'Artifact' });
export type Artifact = z.infer<typeof Artifact>;

export const OneTrail = z.strictObject({
  trail: TrailName.optional().meta({ description: 'Only the report in this trail' }),
});

export const getArtifact = contract({
  id: 'getArtifact',
  summary: 'Get an artifact of a flow by its fingerprint',
  description: 'Returns the newest report. A prefix that matches several artifacts is rejected, with the candidates.',
  tag: 'Artifacts',
  method: 'GET',
  path: '/artifacts/:org/:flow_name/fingerprint/:fingerprint',
  access: 'read',
  params: FlowFingerprintParams,
  query: OneTrail,
  status: 200,
  reply: Artifact,
  errors: [400, 401, 403, 404, 429, 503],
});

export const listCommitArtifacts = contract({
  id: 'listCommitArtifacts',
  summary: 'List the artifacts of a flow that a commit produced',
  tag: 'Artifacts',
  method: 'GET',
  path: '/artifacts/:org/:flow_name/commit_sha/:commit',
  access: 'read',
  params: z.strictObject({ org: OrgName, flow_name: FlowName, commit: CommitPrefix }),
  query: OneTrail,
  status: 200,
  reply: z.array(Artifact),
  errors: [400, 401, 403, 404, 429, 503],
});

const ArtifactSummary = z
  .object({
    id: z.string(),
    flow_name: z.string(),
    trail_name: z.string(),
    template_reference_name: z.string().nullable(),
    fingerprint: z.string(),
    filename: z.string(),
    git_commit: z.string(),
    commit_url: z.string(),
    build_url: z.string(),
    state: TrailState,
    created_at: EpochSeconds,
    html_url: z.string(),
  })
  .meta({ id: 'ArtifactSummary' });

export const listArtifacts = contract({
  id: 'listArtifacts',
  summary: 'List reported artifacts, newest first',
  tag: 'Artifacts',
  method: 'GET',
  path: '/artifacts/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    page: Page.optional(),
    per_page: PerPage(100),
    flow_name: FlowName.optional(),
    repo_name: text(1000).optional().meta({ description: 'Filter by repository; ignored if `flow_name` is set' }),
  }),
  status: 200,
  reply: z.array(ArtifactSummary),
  errors: [400, 401, 403, 404, 429, 503],
});

export const listFlowArtifacts = contract({
  id: 'listFlowArtifacts',
  summary: 'List the artifacts of a flow, newest first',
  tag: 'Artifacts',
  deprecated: true,
  method: 'GET',
  path: '/artifacts/:org/:flow_name',
  access: 'read',
  params: FlowParams,
  query: z.strictObject({ page: Page.optional(), per_page: PerPage(100) }),
  status: 200,
  reply: z.array(ArtifactSummary),
  errors: [400, 401, 403, 404, 429, 503],
});

export const getLatestCommit = contract({
  id: 'getLatestCommit',
  summary: 'Get the commit of the previously reported artifact',
  description:
    'Returns the newest commit that another artifact reported into the flow, on the given branch if any. A full ' +
    'fingerprint does not have to be reported yet.',
  tag: 'Artifacts',
  method: 'GET',
  path: '/artifacts/:org/:flow_name/:fingerprint/latest_commit',
  access: 'read',
  params: FlowFingerprintParams,
  query: z.strictObject({ branch: text(1000).optional() }),
  status: 200,
  reply: z.object({ latest_commit: z.string().nullable() }),
  errors: [400, 401, 403, 404, 429, 503],
});

export const getArtifactPackage = contract({
  id: 'getArtifactPackage',
  summary: 'Export an artifact of a flow with its evidence as an audit package',
  description:
    'A `.tgz` with a readable page, the records as JSON, the attachments, and the proofs that the records are in the ' +
    'ledger. `waymark verify` proves it offline. Waits up to 5 seconds for entries that are not sealed yet, and names ' +
    'in `manifest.json` what is not proven.',
  tag: 'Artifacts',
  method: 'GET',
  path: '/artifacts/:org/:flow_name/:fingerprint/audit_package',
  access: 'read',
  params: FlowFingerprintParams,
  status: 200,
  reply: BinaryReply,
  replyType: 'application/gzip',
  errors: [400, 401, 403, 404, 429, 503],
});
