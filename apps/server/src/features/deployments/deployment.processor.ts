import { sql } from 'kysely';
import type { Processor } from '../../platform/journal/processor.ts';

/** Stores when an artifact of a flow last started running anywhere, even if its flow becomes known later. */
export const flowDeployments: Processor = {
  name: 'flow-deployments',
  begins: 'at the first entry',
  async apply(db, entries) {
    const about = entries.filter((entry) => entry.type === 'snapshot.recorded');
    if (about.length === 0) return;
    await sql`
      with recorded as materialized (
        select distinct entry.org_id, entry.environment_id, (journal.payload::json ->> 'index')::integer as index
        from unnest(
          ${about.map((entry) => entry.org_id)}::uuid[], ${about.map((entry) => entry.subject_id)}::uuid[],
          ${about.map((entry) => entry.seq)}::bigint[]
        ) as entry (org_id, environment_id, seq)
        join journal on journal.org_id = entry.org_id and journal.seq = entry.seq
        where journal.payload is not null
      ), run as (
        select running.org_id, running.environment_id, running.no, running.from_index
        from recorded join running on running.org_id = recorded.org_id and running.environment_id = recorded.environment_id
          and running.from_index = recorded.index and running.fingerprint <> ''
        union
        select running.org_id, running.environment_id, running.no, running.from_index
        from recorded join running_verdict as changed on changed.org_id = recorded.org_id
          and changed.environment_id = recorded.environment_id and changed.from_index = recorded.index
          and changed.cause = 'provenance'
        join running on running.org_id = changed.org_id and running.environment_id = changed.environment_id
          and running.no = changed.no
      ), latest as (
        select run.org_id, artifact.flow_id, max(snapshot.created_at) as at
        from run join snapshot on snapshot.org_id = run.org_id and snapshot.environment_id = run.environment_id
          and snapshot.index = run.from_index
        cross join lateral (
          select artifact_ids from running_verdict
          where org_id = run.org_id and environment_id = run.environment_id and no = run.no
          order by from_index desc limit 1
        ) as verdict
        join artifact on artifact.org_id = run.org_id and artifact.id = any(verdict.artifact_ids)
        group by run.org_id, artifact.flow_id
      )
      update flow set last_deployment_at = latest.at from latest
      where flow.org_id = latest.org_id and flow.id = latest.flow_id
        and (flow.last_deployment_at is null or flow.last_deployment_at < latest.at)`.execute(db);
  },
};
