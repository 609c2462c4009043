import type { Activity } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { type StoredRows, storedRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { type ActivityRow, readNotificationNames } from './activity.reads.ts';
import { summarize, summarizeDamaged } from './summaries.ts';
import type { EntryPayload } from './summary.ts';

type EntryToDescribe = Omit<ActivityRow, 'seq' | 'bytes'>;

/** Describes entries, in order. */
export async function toActivities(ctx: Ctx, org: string, rows: readonly EntryToDescribe[]): Promise<Activity[]> {
  const stored = storedRows(ctx.log, 'journal');
  const payloads = rows.map(({ id, payload }) => stored.read<EntryPayload | null>(id, payload, null));
  const sourceNames = await readNotificationNames(
    ctx,
    payloads.flatMap((payload) => sourceOf(payload) ?? []),
  );
  return rows.map((row, i) => {
    const payload = payloads[i] ?? null;
    const source_name = sourceNames.get(sourceOf(payload) ?? '');
    const known = payload && { ...payload, ...(source_name !== undefined && { source_name }) };
    return toActivity(row, org, known, stored);
  });
}

/** The notification that a target belongs to. */
function sourceOf(payload: EntryPayload | null): string | undefined {
  const source = payload?.['source_id'];
  return typeof source === 'string' ? source : undefined;
}

function toActivity(row: EntryToDescribe, org: string, payload: EntryPayload | null, stored: StoredRows): Activity {
  const entry = { type: row.type, actor: row.actor_name, subjectId: row.subject_id };
  const summary = stored.isDamaged(row.id) ? summarizeDamaged(entry) : summarize({ ...entry, payload });
  return {
    id: row.id,
    type: row.type,
    actor: row.actor_name,
    recorded_at: epochSeconds(row.recorded_at),
    subject: { kind: row.subject_kind, id: row.subject_id, name: summary.name },
    text: summary.text,
    html_path: summary.path === null ? null : `/${encodeURIComponent(org)}/${summary.path}`,
    ...stored.mark(row.id),
  };
}
