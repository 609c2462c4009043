import { sql } from 'kysely';
import type { Entry, Processor } from '../../../platform/journal/processor.ts';

/** Numbers every entry of an org into its feed. `wake` notifies the servers of orgs with new entries. */
export function feedProcessor(wake: (orgIds: readonly string[]) => void): Processor {
  return {
    name: 'feed',
    async apply(db, entries) {
      await sql`
        with new as (
          select *, row_number() over (partition by org_id order by place) as offset_in_org
          from unnest(
            ${entries.map((entry) => entry.org_id)}::uuid[], ${entries.map((entry) => entry.id)}::uuid[],
            ${entries.map((entry) => entry.type)}::text[], ${entries.map((entry) => entry.subject_kind)}::text[],
            ${entries.map((entry) => entry.subject_id)}::uuid[], ${entries.map((entry) => entry.actor_name)}::text[],
            ${entries.map((entry) => entry.recorded_at)}::timestamptz[]
          ) with ordinality as entry (org_id, entry_id, type, subject_kind, subject_id, actor_name, recorded_at, place)
        ), head as (
          insert into feed_head as head (org_id, position)
          select org_id, count(*) from new group by org_id
          on conflict (org_id) do update set position = head.position + excluded.position
          returning head.org_id, head.position
        )
        insert into feed_event
          (org_id, position, entry_id, type, subject_kind, subject_id, actor_name, recorded_at)
        select new.org_id, head.position - count(*) over (partition by new.org_id) + offset_in_org,
          entry_id, type, subject_kind, subject_id, actor_name, recorded_at
        from new join head using (org_id)`.execute(db);
    },
    committed(entries: readonly Entry[]) {
      wake([...new Set(entries.map((entry) => entry.org_id))]);
    },
  };
}
