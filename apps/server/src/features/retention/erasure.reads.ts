import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { cut } from '../../platform/db/paginate.ts';
import type { ErasureRow } from './erasure.store.ts';
import { decodePlace, encodePlace, PAGE_MAX } from './list-place.ts';

/** An erasure with the current names of what it is about. */
export interface NamedErasure extends ErasureRow {
  readonly attestation_name: string;
  readonly flow_name: string;
  readonly trail_name: string;
}

const NAMED = sql`
  select erasure.*, attestation.name as attestation_name, flow.name as flow_name, trail.name as trail_name
  from erasure
  join attestation on attestation.org_id = erasure.org_id and attestation.id = erasure.attestation_id
  join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
  join flow on flow.org_id = attestation.org_id and flow.id = attestation.flow_id`;

export async function readErasure(ctx: Ctx, attestationId: string): Promise<NamedErasure | undefined> {
  const { rows } = await sql<NamedErasure>`
    ${NAMED} where erasure.org_id = ${ctx.org} and erasure.attestation_id = ${attestationId}`.execute(ctx.db);
  return rows[0];
}

/** Newest first, and the cursor of the rest, if any. */
export async function listErasures(
  ctx: Ctx,
  after: string | undefined,
): Promise<{ erasures: readonly NamedErasure[]; next: string | undefined }> {
  const place = after === undefined ? undefined : decodePlace(after);
  const older = place ? sql`(erasure.erased_at, erasure.attestation_id) < (${place.at}, ${place.id}::uuid)` : sql`true`;
  const { rows } = await sql<NamedErasure>`
    ${NAMED} where erasure.org_id = ${ctx.org} and ${older}
    order by erasure.erased_at desc, erasure.attestation_id desc limit ${PAGE_MAX + 1}`.execute(ctx.db);
  const { shown, last } = cut(rows, PAGE_MAX);
  return { erasures: shown, next: last && encodePlace({ at: last.erased_at, id: last.attestation_id }) };
}
