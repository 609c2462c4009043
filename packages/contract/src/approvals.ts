import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName } from './environments.ts';
import { CommitSha, EvidenceHeaders, Fingerprint, FlowName, FlowParams, PerPage, UserData } from './evidence.ts';
import { EpochSeconds, link, OrgName, Page, text, Unreadable } from './primitives.ts';

const Review = z
  .strictObject({
    state: z.enum(['APPROVED', 'UNAPPROVED']),
    comment: text(10_000).nullish(),
    approved_by: text(255).nullish(),
    approval_url: link(4096).nullish(),
  })
  .meta({ id: 'ApprovalReview', description: 'The answer of one approver' });
export type Review = z.infer<typeof Review>;

export const ApprovalInput = z
  .strictObject({
    artifact_fingerprint: Fingerprint,
    description: text(10_000).nullish(),
    environment: EnvironmentName.nullish().meta({ description: 'The environment it is approved for; absent for any' }),
    src_commit_list: z.array(CommitSha).max(10_000).meta({ description: 'The approved commits' }),
    oldest_commit: CommitSha.nullish(),
    approvals: z
      .array(Review)
      .max(100)
      .nullish()
      .meta({ description: 'Absent or null makes this a request for approval' }),
    user_data: UserData.nullish(),
  })
  .meta({ id: 'ApprovalInput' });
export type ApprovalInput = z.infer<typeof ApprovalInput>;

export const recordApproval = contract({
  id: 'recordApproval',
  summary: 'Approve an artifact, or request its approval',
  description:
    'Recorded on the trail of the newest report of the artifact, and numbered within the flow. Approvals appear ' +
    'in histories but do not change a verdict. A repeated request with the same `Waymark-Evidence-Id` is recorded ' +
    'once.',
  tag: 'Approvals',
  deprecated: true,
  method: 'POST',
  path: '/approvals/:org/:flow_name',
  access: 'record_evidence',
  dryRun: true,
  addsEvidence: true,
  params: FlowParams,
  headers: EvidenceHeaders,
  body: ApprovalInput,
  status: 201,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

const ApprovalSummary = z
  .object({
    approval_number: z.number().int(),
    flow_name: z.string(),
    trail_name: z.string(),
    artifact_fingerprint: z.string(),
    artifact_name: z.string(),
    state: z.enum(['APPROVED', 'UNAPPROVED', 'PENDING']).meta({
      description: 'UNAPPROVED if any approver declined; PENDING while no approver has answered',
    }),
    reviewer: z.string().meta({ description: 'Names of the approvers, separated by commas' }),
    description: z.string(),
    environment: z.string().nullable(),
    created_at: EpochSeconds,
    created_by: z.string(),
    claimed_at: EpochSeconds.nullable(),
    last_modified_at: EpochSeconds,
  })
  .meta({ id: 'ApprovalSummary' });

export const Approval = z
  .object({
    ...ApprovalSummary.shape,
    src_commit_list: z.array(z.string()),
    oldest_commit: z.string().nullable(),
    approvals: z.array(Review),
    user_data: z.unknown(),
    unreadable: Unreadable,
  })
  .meta({ id: 'Approval' });
export type Approval = z.infer<typeof Approval>;

export const listApprovals = contract({
  id: 'listApprovals',
  summary: 'List the approvals of a flow, newest first',
  tag: 'Approvals',
  deprecated: true,
  method: 'GET',
  path: '/approvals/:org/:flow_name',
  access: 'read',
  params: FlowParams,
  query: z.strictObject({
    page: Page.optional(),
    per_page: PerPage(100).meta({ description: 'Approvals per page. Default: 15' }),
  }),
  status: 200,
  reply: z.array(ApprovalSummary),
  errors: [400, 401, 403, 404, 429, 503],
});

export const getApproval = contract({
  id: 'getApproval',
  summary: 'Get one approval of a flow',
  tag: 'Approvals',
  deprecated: true,
  method: 'GET',
  path: '/approvals/:org/:flow_name/:number',
  access: 'read',
  params: z.strictObject({
    org: OrgName,
    flow_name: FlowName,
    number: z.coerce
      .number()
      .int()
      .min(1)
      .max(2_147_483_647)
      .meta({ description: 'Number of the approval in its flow' }),
  }),
  status: 200,
  reply: Approval,
  errors: [400, 401, 403, 404, 429, 503],
});

export const getRunningCommit = contract({
  id: 'getRunningCommit',
  summary: 'Get the commit of the artifact of a flow that runs in an environment',
  tag: 'Approvals',
  deprecated: true,
  method: 'GET',
  path: '/approvals/:org/:flow_name/artifact-commit/:env_name',
  access: 'read',
  params: z.strictObject({ org: OrgName, flow_name: FlowName, env_name: EnvironmentName }),
  status: 200,
  reply: z.object({ commit_sha: z.string().nullable() }),
  errors: [400, 401, 403, 404, 429, 503],
});
