import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';

/** Something in the history of a trail: a change of its own, a report of an artifact, an attestation or an approval. */
export interface TrailEvent {
  readonly receipt: number;
  readonly source: 'trail' | 'artifact' | 'attestation' | 'approval';
  readonly created_at: Date;
  readonly created_by: string;
  readonly claimed_at: Date | null;
  /** Of the trail's own events only. */
  readonly type: string | null;
  readonly changes: string[] | null;
  readonly subject_id: string | null;
  /** The name of the artifact or attestation; the reviewer of an approval. */
  readonly name: string | null;
  readonly template_name: string | null;
  readonly attestation_type: string | null;
  readonly is_compliant: boolean | null;
  readonly fingerprint: string | null;
  readonly commit_sha: string | null;
  readonly approval_state: string | null;
  readonly approval_number: number | null;
}

/** The newest events before `before`, newest first. Each branch reads its own index backwards and stops at the limit. */
export async function listTrailEvents(
  ctx: Ctx,
  trailId: string,
  limit: number,
  before?: number,
): Promise<TrailEvent[]> {
  const last = before ?? Number.MAX_SAFE_INTEGER;
  const { rows } = await sql<TrailEvent>`
    select * from (
      (select receipt, 'trail' as source, created_at, created_by, null::timestamptz as claimed_at, type, changes, null::uuid as subject_id,
         null as name, null as template_name, null as attestation_type, null::boolean as is_compliant,
         null as fingerprint, null as commit_sha, null as approval_state, null::integer as approval_number
       from trail_event where org_id = ${ctx.org} and trail_id = ${trailId} and receipt < ${last}
       order by receipt desc limit ${limit})
      union all
      (select receipt, 'artifact', created_at, created_by, claimed_at, null, null, id, filename, template_name, null, null,
         fingerprint, commit_sha, null, null
       from artifact where org_id = ${ctx.org} and trail_id = ${trailId} and receipt < ${last}
       order by receipt desc limit ${limit})
      union all
      (select receipt, 'attestation', created_at, created_by, claimed_at, null, null, id, name,
         case when fingerprint is null then target_artifact else coalesce(target_artifact, (
           select coalesce(template_name, filename) from artifact
           where artifact.org_id = ${ctx.org} and artifact.trail_id = ${trailId}
             and artifact.fingerprint = attestation.fingerprint
           order by artifact.receipt desc limit 1)) end,
         type, is_compliant,
         fingerprint, commit_sha, null, null
       from attestation where org_id = ${ctx.org} and trail_id = ${trailId} and receipt < ${last}
       order by receipt desc limit ${limit})
      union all
      (select receipt, 'approval', created_at, created_by, claimed_at, null, null, id, reviewer, null, null, null,
         fingerprint, null, state, number
       from approval where org_id = ${ctx.org} and trail_id = ${trailId} and receipt < ${last}
       order by receipt desc limit ${limit})
    ) as event
    order by receipt desc limit ${limit}`.execute(ctx.db);
  return rows;
}
