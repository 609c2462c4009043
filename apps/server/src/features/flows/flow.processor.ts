import { sql } from 'kysely';
import type { Entry, Processor } from '../../platform/journal/processor.ts';

/** Keeps when something last happened in a flow. */
export const flowActivity: Processor = {
  name: 'flow-activity',
  async apply(db, entries) {
    const about = entries.filter((entry) => entry.subject_kind === 'flow');
    if (about.length === 0) return;
    const latest = [...latestBySubject(about).values()];
    await sql`
      update flow set latest_activity_at = activity.at
      from unnest(
        ${latest.map((entry) => entry.org_id)}::uuid[], ${latest.map((entry) => entry.subject_id)}::uuid[],
        ${latest.map((entry) => entry.recorded_at)}::timestamptz[]
      ) as activity (org_id, id, at)
      where flow.org_id = activity.org_id and flow.id = activity.id and flow.latest_activity_at < activity.at`.execute(
      db,
    );
  },
};

function latestBySubject(entries: readonly Entry[]): Map<string, Entry> {
  const latest = new Map<string, Entry>();
  for (const entry of entries) {
    const known = latest.get(entry.subject_id);
    if (!known || known.recorded_at < entry.recorded_at) latest.set(entry.subject_id, entry);
  }
  return latest;
}
