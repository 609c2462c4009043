import * as api from '@waymark/contract';
import { createFairQueue } from '../../../platform/fair-queue.ts';
import type { App } from '../../../platform/http/app.ts';
import { type EventStream, handleEvents } from '../../../platform/http/event-stream.ts';
import type { StreamLimits } from '../../../platform/http/open-streams.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { FOR_ADMINS, seesAll } from './entry-access.reads.ts';
import { type FeedBounds, type FeedRow, findFeedBounds, listFeedAfter } from './feed.store.ts';
import type { Listeners } from './listeners.ts';
import { BATCH, type Tail } from './tail.ts';
import { createTails } from './tails.ts';

/** Access is checked whenever the stream wakes, and after this long at the latest. */
const ACCESS_CHECK_MS = 15_000;
/** Entries after which a listener may have lost access. */
const ABOUT_ACCESS = /^(membership|api_key|service_account|session|sso)\./;

/**
 * Limits reads of the feed in one server, so that listeners who reconnect all at once leave connections for other
 * requests.
 */
const queueOf = ({ perServer }: StreamLimits) => ({
  running: 4,
  runningPerOrg: 2,
  // A listener waits for one read at a time, and so does the tail of an org.
  waiting: 2 * perServer,
  waitingPerOrg: 2 * perServer,
  patienceMs: 10_000,
  heavyFromMs: 1_000,
  refusal: 'Too many event streams are starting. Try again shortly',
});

export function feedRoutes(app: App, listeners: Listeners): void {
  const queue = createFairQueue(queueOf(app.streamLimits));
  app.watchQueue('feed', queue.figures);
  const tails = createTails(listeners, (org, position, signal) =>
    queue.run(org, () => listFeedAfter(app.db, org, position, BATCH), signal),
  );

  handleEvents(
    app,
    api.streamEvents,
    (ctx, closed) => queue.run(ctx.org, () => findFeedBounds(ctx.db, ctx.org), closed),
    async (ctx, { query }, stream, bounds) => {
      const tail = tails.join(ctx.org, bounds.head);
      try {
        const topics = query.topics?.split(',');
        await follow(tail, await start(stream, bounds), {
          stream,
          now: () => app.now().getTime(),
          isShown: ({ type, subject_kind }) =>
            (!topics || topics.includes(subject_kind)) && (seesAll(ctx) || !FOR_ADMINS.test(type)),
        });
      } finally {
        tail.leave();
      }
    },
  );
}

interface Following {
  readonly stream: EventStream;
  readonly now: () => number;
  readonly isShown: (row: FeedRow) => boolean;
}

async function follow(tail: Tail, start: number, { stream, now, isShown }: Following): Promise<void> {
  let position = start;
  let checkedAt = now();
  while (!stream.closed.aborted) {
    const { rows, reached } = await tail.next(position, stream.closed);
    if (now() - checkedAt >= ACCESS_CHECK_MS || rows.some((row) => ABOUT_ACCESS.test(row.type))) {
      checkedAt = now();
      await stream.recheckAccess();
    }
    await sendRows(stream, rows.filter(isShown));
    position = reached;
    await tail.more(position, ACCESS_CHECK_MS, stream.closed);
  }
}

/** Nothing is sent to a listener that has just lost its access. */
async function sendRows(stream: EventStream, rows: readonly FeedRow[]): Promise<void> {
  for (const row of rows) {
    if (stream.closed.aborted) return;
    await stream.send({ id: String(row.position), event: row.type, data: toFeedEvent(row) });
  }
}

/** Where the stream begins: after the last event the client saw, or now. */
async function start(stream: EventStream, { head, oldest }: FeedBounds): Promise<number> {
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
