import { hash } from 'node:crypto';
import type { ApprovalInput } from '@waymark/contract';
import canonicalize from 'canonicalize';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { notFound } from '../../../platform/errors.ts';
import { claimedTime, claimReceipt, type EvidenceClaim, findReceipt } from '../../../platform/evidence-receipt.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { present } from '../../../platform/present.ts';
import { findFlowByName } from '../../flows/flow.service.ts';
import { findNewestReport } from '../artifact.reads.ts';
import { approvalRecorded } from './approval.entries.ts';
import * as store from './approval.store.ts';
import { reviewersOf, stateOf } from './approval-state.ts';

export interface ApprovalReport {
  readonly flowName: string;
  readonly input: ApprovalInput;
  readonly claim: EvidenceClaim | undefined;
  readonly claimedAt: number | undefined;
}

/** Records an approval of an artifact, or a request for one. A repeat gets the same reply. */
export function recordApproval(ctx: Ctx, report: ApprovalReport): Promise<string> {
  const { input, claim } = report;
  const claimedAt = claimedTime(ctx, report.claimedAt);
  const fingerprint = input.artifact_fingerprint;
  const content = canonicalize(input) ?? '';
  const state = stateOf(input.approvals ?? []);
  const reviewer = reviewersOf(input.approvals ?? []);
  return inTransaction(ctx, async (ctx) => {
    // Even if the flow is gone by now: a repeat gets the first reply.
    const answered = claim && (await findReceipt(ctx, claim));
    if (answered) return answered.answer;
    const flow = await findFlowByName(ctx, report.flowName);
    if (!flow) throw notFound('Flow', report.flowName);
    const artifact = await findNewestReport(ctx, flow.id, fingerprint);
    if (!artifact) throw notFound('Artifact', `${flow.name}@${fingerprint}`);
    await store.lockNumbers(ctx.db, ctx.org, flow.id);
    const number = (await store.findLastNumber(ctx.db, ctx.org, flow.id)) + 1;
    const id = ctx.newId();
    const answer = `Approval ${number} of flow '${flow.name}' recorded`;
    const earlier = claim && (await claimReceipt(ctx, claim, { subjectId: id, answer }));
    if (earlier) return earlier.answer;
    await store.insertApproval(ctx.db, {
      org_id: ctx.org,
      flow_id: flow.id,
      number,
      id,
      trail_id: artifact.trail_id,
      fingerprint,
      filename: artifact.filename,
      state,
      reviewer,
      description: input.description ?? '',
      environment: input.environment ?? null,
      content,
      created_at: ctx.now(),
      claimed_at: claimedAt,
      created_by: ctx.actor.name,
    });
    const payload = {
      flow: flow.name,
      trail: artifact.trail_name,
      number,
      fingerprint,
      state,
      content_sha256: hash('sha256', content),
      ...present({
        reviewer: reviewer || undefined,
        environment: input.environment || undefined,
        evidence_id: claim?.evidenceId,
        claimed_at: report.claimedAt,
      }),
    };
    await emit(ctx, approvalRecorded, { kind: 'approval', id, seq: 1 }, payload);
    return answer;
  });
}
