import { sql } from 'kysely';
import type { Processor } from '../../platform/journal/processor.ts';

/** Stores when something last happened in a flow: to the flow itself, or to what was reported into it. */
export const flowActivity: Processor = {
  name: 'flow-activity',
  begins: 'at the first entry',
  async apply(db, entries) {
    const about = entries.filter((entry) => KINDS.has(entry.subject_kind));
    if (about.length === 0) return;
    await sql`
      with recorded as materialized (
        select * from unnest(
          ${about.map((entry) => entry.org_id)}::uuid[], ${about.map((entry) => entry.subject_kind)}::text[],
          ${about.map((entry) => entry.subject_id)}::uuid[], ${about.map((entry) => entry.recorded_at)}::timestamptz[]
        ) as recorded (org_id, kind, id, at)
      ), activity as (
        select org_id, id as flow_id, at from recorded where kind = 'flow'
        union all
        select recorded.org_id, trail.flow_id, at from recorded
        join trail on trail.org_id = recorded.org_id and trail.id = recorded.id where kind = 'trail'
        union all
        select recorded.org_id, artifact.flow_id, at from recorded
        join artifact on artifact.org_id = recorded.org_id and artifact.id = recorded.id where kind = 'artifact'
        union all
        select recorded.org_id, attestation.flow_id, at from recorded
        join attestation on attestation.org_id = recorded.org_id and attestation.id = recorded.id where kind = 'attestation'
      ), latest as (
        select org_id, flow_id, max(at) as at from activity group by org_id, flow_id
      )
      update flow set latest_activity_at = latest.at from latest
      where flow.org_id = latest.org_id and flow.id = latest.flow_id and flow.latest_activity_at < latest.at`.execute(
      db,
    );
  },
};

const KINDS = new Set(['flow', 'trail', 'artifact', 'attestation']);
