import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import type { App } from '../../platform/http/app.ts';
import { type EventStream, handleEvents } from '../../platform/http/event-stream.ts';
import { epochSeconds } from '../../platform/time.ts';
import { FOR_ADMINS, seesAll } from './entry-access.reads.ts';
import { type FeedRow, findFeedBounds, listFeedAfter } from './feed.store.ts';
import type { Listeners } from './listeners.ts';

const BEAT_MS = 15_000;
/** Looked at whenever the stream wakes, at the latest after a beat: so at most two beats lie between two looks. */
const RECHECK_MS = BEAT_MS;
const BATCH = 500;
/** Entries after which a listener may have lost its right to listen. */
const ABOUT_ACCESS = /^(membership|api_key|service_account|session|sso)\./;

export function feedRoutes(app: App, listeners: Listeners): void {
  handleEvents(app, api.streamEvents, async (ctx, { query }, stream) => {
    const topics = query.topics?.split(',');
    const isShown = ({ type, subject_kind }: FeedRow) =>
      (!topics || topics.includes(subject_kind)) && (seesAll(ctx) || !FOR_ADMINS.test(type));
    let position = await start(ctx, stream);
    let checkedAt = ctx.now().getTime();
    while (!stream.closed.aborted) {
      // Waiting starts before reading: news that comes in between wakes the next round at once.
      const news = listeners.news(ctx.org, BEAT_MS, stream.closed);
      const rows = await listFeedAfter(ctx.db, ctx.org, position, BATCH);
      const now = app.now().getTime();
      if (now - checkedAt >= RECHECK_MS || rows.some((row) => ABOUT_ACCESS.test(row.type))) {
        await stream.recheck();
        checkedAt = now;
      }
      const shown = rows.filter(isShown);
      await sendRows(stream, shown);
      position = rows.at(-1)?.position ?? position;
      if (rows.length < BATCH) await news;
      if (shown.length === 0) await stream.beat();
    }
  });
}

/** Nothing is sent to a listener that has just lost its access. */
async function sendRows(stream: EventStream, rows: readonly FeedRow[]): Promise<void> {
  for (const row of rows) {
    if (stream.closed.aborted) return;
    await stream.send({ id: String(row.position), event: row.type, data: toFeedEvent(row) });
  }
}

/** Where the stream begins: after the last event the client saw, or now. */
async function start(ctx: Ctx, stream: EventStream): Promise<number> {
  const { head, oldest } = await findFeedBounds(ctx.db, ctx.org);
  if (stream.lastEventId === undefined) return head;
  const asked = Number(stream.lastEventId);
  const first = oldest ?? head + 1;
  if (asked >= first - 1 && asked <= head) return asked;
  await stream.send({ id: String(head), event: 'reset', data: { position: head } });
  return head;
}

function toFeedEvent(row: FeedRow): api.FeedEvent {
  return {
    id: row.entry_id,
    type: row.type,
    subject: { kind: row.subject_kind, id: row.subject_id },
    actor: row.actor_name,
    recorded_at: epochSeconds(row.recorded_at),
  };
}
