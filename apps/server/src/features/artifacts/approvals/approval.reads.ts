import type { Ctx } from '../../../platform/ctx.ts';
import { notFound } from '../../../platform/errors.ts';
import { type FlowView, readFlow } from '../../flows/flow.reads.ts';
import type { ApprovalRow } from './approval.store.ts';

const NUMBERS_READ = 1_000;

/** All columns except the sent body, which may be long. */
const SUMMARY = [
  'approval.number',
  'approval.fingerprint',
  'approval.filename',
  'approval.state',
  'approval.reviewer',
  'approval.description',
  'approval.environment',
  'approval.created_at',
  'approval.claimed_at',
  'approval.created_by',
] as const;

type Column<Name> = Name extends `approval.${infer C extends keyof ApprovalRow}` ? C : never;

export interface ApprovalListItem extends Pick<ApprovalRow, Column<(typeof SUMMARY)[number]>> {
  readonly flow_name: string;
  readonly trail_name: string;
}

export interface ApprovalView extends ApprovalListItem {
  readonly content: string;
}

export async function listApprovalPage(
  ctx: Ctx,
  flowName: string,
  page: number,
  perPage: number,
): Promise<ApprovalListItem[]> {
  const flow = await readFlow(ctx, flowName);
  // The numbers of a deep page are skipped in the index alone; only the rows of the page itself are read.
  const numbers = ctx.db
    .selectFrom('approval')
    .select('number')
    .where('org_id', '=', ctx.org)
    .where('flow_id', '=', flow.id)
    .orderBy('number', 'desc')
    .limit(perPage)
    .offset((page - 1) * perPage);
  const rows = await approvalsOf(ctx, flow)
    .where('approval.number', 'in', numbers)
    .orderBy('approval.number', 'desc')
    .execute();
  return rows.map((row) => ({ ...row, flow_name: flow.name }));
}

export async function readApproval(ctx: Ctx, flowName: string, number: number): Promise<ApprovalView> {
  const flow = await readFlow(ctx, flowName);
  const row = await approvalsOf(ctx, flow)
    .select('approval.content')
    .where('approval.number', '=', number)
    .executeTakeFirst();
  if (!row) throw notFound('Approval', `${flow.name}#${number}`);
  return { ...row, flow_name: flow.name };
}

function approvalsOf(ctx: Ctx, flow: FlowView) {
  return ctx.db
    .selectFrom('approval')
    .innerJoin('trail', (join) =>
      join.onRef('trail.org_id', '=', 'approval.org_id').onRef('trail.id', '=', 'approval.trail_id'),
    )
    .select(SUMMARY)
    .select('trail.name as trail_name')
    .where('approval.org_id', '=', ctx.org)
    .where('approval.flow_id', '=', flow.id);
}

/** Returns the numbers of the approvals of an artifact in a flow, the newest 1,000, in order. */
export async function listApprovalNumbers(ctx: Ctx, flowId: string, fingerprint: string): Promise<number[]> {
  const rows = await ctx.db
    .selectFrom('approval')
    .select('number')
    .where('org_id', '=', ctx.org)
    .where('flow_id', '=', flowId)
    .where('fingerprint', '=', fingerprint)
    .orderBy('number', 'desc')
    .limit(NUMBERS_READ)
    .execute();
  return rows.map((row) => row.number).reverse();
}
