import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { decodeReceipt, encodeReceipt } from '../../platform/db/paginate.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { type StoredRows, storedRows } from '../../platform/stored-json.ts';
import { epochSeconds, fromEpochSeconds } from '../../platform/time.ts';
import { type ActivityRow, type JournalPlace, listActivityPage, readNotificationNames } from './activity.reads.ts';
import { summarize, summarizeDamaged } from './summaries.ts';
import type { EntryPayload } from './summary.ts';
import { parseTypes } from './type-filter.ts';

export function activityRoutes(app: App): void {
  handle(app, api.listActivity, async (ctx, { params, query }) => {
    const { per_page = 50 } = query;
    const filter = {
      actor: query.actor,
      types: query.type === undefined ? undefined : parseTypes([query.type].flat()),
      from: momentOf(query.from),
      to: momentOf(query.to),
      subjectKind: query.subject_kind,
    };
    const after = query.after === undefined ? undefined : decodePlace(query.after);
    const { entries, next } = await listActivityPage(ctx, filter, per_page, after);
    return {
      data: await toActivities(ctx, params.org, entries),
      pagination: { per_page, next: next ? encodePlace(next) : null },
    };
  });
}

/** Clients send an empty string for a parameter that was not given. */
function momentOf(seconds: number | '' | undefined): Date | undefined {
  return seconds === undefined || seconds === '' ? undefined : fromEpochSeconds(seconds);
}

/** Begins with a letter that no list by receipt uses, so that a cursor of another list is refused. */
function encodePlace({ seq }: JournalPlace): string {
  return `j.${encodeReceipt(seq)}`;
}

function decodePlace(text: string): JournalPlace {
  const [kind, seq = ''] = text.split('.', 2);
  return { seq: decodeReceipt(kind === 'j' ? seq : '') };
}

async function toActivities(ctx: Ctx, org: string, rows: readonly ActivityRow[]): Promise<api.Activity[]> {
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

function toActivity(row: ActivityRow, org: string, payload: EntryPayload | null, stored: StoredRows): api.Activity {
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
