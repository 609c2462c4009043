import * as api from '@waymark/contract';
import { claimOf, secondsOf } from '../../../platform/evidence-receipt.ts';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { present } from '../../../platform/present.ts';
import { type StoredRows, storedRows } from '../../../platform/stored-json.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { findPhysicalIds } from '../../deployments/deployment.reads.ts';
import { findRunningCommit } from '../../deployments/running.reads.ts';
import { readFlow } from '../../flows/flow.reads.ts';
import * as reads from './approval.reads.ts';
import { recordApproval } from './approval.service.ts';

export function approvalRoutes(app: App): void {
  handle(app, api.recordApproval, (ctx, { params, headers, body }) =>
    recordApproval(ctx, {
      flowName: params.flow_name,
      input: present(body),
      claim: claimOf(headers['waymark-evidence-id'], ['recordApproval', params.flow_name, body]),
      claimedAt: secondsOf(headers['waymark-claimed-at']),
    }),
  );

  handle(app, api.listApprovals, async (ctx, { params, query }) => {
    const { page = 1, per_page = 15 } = query;
    return (await reads.listApprovalPage(ctx, params.flow_name, page, per_page)).map(toSummary);
  });

  handle(app, api.getApproval, async (ctx, { params }) =>
    toApproval(await reads.readApproval(ctx, params.flow_name, params.number), storedRows(ctx.log, 'approval')),
  );

  handle(app, api.getRunningCommit, async (ctx, { params }) => {
    const flow = await readFlow(ctx, params.flow_name);
    const environmentIds = await findPhysicalIds(ctx, params.env_name);
    return { commit_sha: await findRunningCommit(ctx, environmentIds, flow.id) };
  });
}

function toSummary(approval: reads.ApprovalListItem) {
  const createdAt = epochSeconds(approval.created_at);
  return {
    approval_number: approval.number,
    flow_name: approval.flow_name,
    trail_name: approval.trail_name,
    artifact_fingerprint: approval.fingerprint,
    artifact_name: approval.filename,
    state: approval.state,
    reviewer: approval.reviewer,
    description: approval.description,
    environment: approval.environment,
    created_at: createdAt,
    created_by: approval.created_by,
    claimed_at: approval.claimed_at && epochSeconds(approval.claimed_at),
    last_modified_at: createdAt,
  };
}

function toApproval(approval: reads.ApprovalView, stored: StoredRows): api.Approval {
  const key = `${approval.flow_name}/${approval.number}`;
  const sent = stored.read<Partial<api.ApprovalInput>>(key, approval.content, {});
  return {
    ...toSummary(approval),
    src_commit_list: sent.src_commit_list ?? [],
    oldest_commit: sent.oldest_commit ?? null,
    approvals: sent.approvals ?? [],
    user_data: sent.user_data ?? {},
    ...stored.mark(key),
  };
}
