import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { notFound } from '../../platform/errors.ts';
import type { AttestationView } from '../attestations/attestation.reads.ts';
import type { PageOf } from './control.reads.ts';
import type { ControlRow } from './control.store.ts';

export interface DecisionView extends AttestationView {
  readonly control_version: number | null;
}

export interface DecisionFilter {
  readonly isCompliant?: boolean;
  readonly from?: Date;
  readonly to?: Date;
  /** Of any of these. */
  readonly flowIds?: readonly string[];
}

export async function listDecisionPage(
  ctx: Ctx,
  control: ControlRow,
  filter: DecisionFilter,
  { page, perPage, direction }: PageOf,
): Promise<{ total: number; decisions: DecisionView[] }> {
  const { total } = await matching(ctx, control, filter)
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const ids = matching(ctx, control, filter)
    .select('attestation.id')
    .orderBy('attestation.created_at', direction)
    .orderBy('attestation.receipt', direction)
    .limit(perPage)
    .offset((page - 1) * perPage);
  const decisions = await views(ctx, control)
    .where('attestation.id', 'in', ids)
    .orderBy('attestation.created_at', direction)
    .orderBy('attestation.receipt', direction)
    .execute();
  return { total, decisions };
}

export async function readDecision(ctx: Ctx, control: ControlRow, id: string): Promise<DecisionView> {
  const decision = await views(ctx, control)
    .where('attestation.id', '=', id)
    .where('attestation.control', '=', control.identifier)
    .executeTakeFirst();
  if (!decision) throw notFound(`Control '${control.identifier}', decision`, id);
  return decision;
}

/** Of all evidence, only decisions name a control. */
function matching(ctx: Ctx, control: ControlRow, { isCompliant, from, to, flowIds }: DecisionFilter) {
  let query = ctx.db
    .selectFrom('attestation')
    .where('attestation.org_id', '=', ctx.org)
    .where('attestation.control', '=', control.identifier);
  if (isCompliant !== undefined) query = query.where('attestation.is_compliant', '=', isCompliant);
  if (from) query = query.where('attestation.created_at', '>=', from);
  if (to) query = query.where('attestation.created_at', '<=', to);
  if (flowIds) query = query.where(sql<SqlBool>`attestation.flow_id = any(${flowIds}::uuid[])`);
  return query;
}

function views(ctx: Ctx, control: ControlRow) {
  return ctx.db
    .selectFrom('attestation')
    .innerJoin('trail', (join) =>
      join.onRef('trail.org_id', '=', 'attestation.org_id').onRef('trail.id', '=', 'attestation.trail_id'),
    )
    .innerJoin('flow', (join) =>
      join.onRef('flow.org_id', '=', 'attestation.org_id').onRef('flow.id', '=', 'attestation.flow_id'),
    )
    .selectAll('attestation')
    .select(['trail.name as trail_name', 'flow.name as flow_name'])
    .select(
      sql<number | null>`(
        select max(decided.version) from control_version as decided
        where decided.org_id = attestation.org_id and decided.control_id = ${control.id}
          and decided.created_at <= attestation.created_at
      )`.as('control_version'),
    )
    .where('attestation.org_id', '=', ctx.org);
}
