import * as api from '@waymark/contract';
import { createFairQueue } from '../../../platform/fair-queue.ts';
import type { App } from '../../../platform/http/app.ts';
import { type EventStream, handleEvents } from '../../../platform/http/event-stream.ts';
import type { StreamLimits } from '../../../platform/http/open-streams.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { FOR_ADMINS, seesAll } from './entry-access.reads.ts';
import { type FeedHead, type FeedRow, findFeedHead, listFeedAfter } from './feed.store.ts';
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
  const tails = createTails(listeners, (org, index, signal) =>
    queue.run(org, () => listFeedAfter(app.db, org, index, BATCH), signal),
  );

  handleEvents(
    app,
    api.streamEvents,
    (ctx, closed) => queue.run(ctx.org, () => findFeedHead(ctx.db, ctx.org), closed),
    async (ctx, { query }, stream, head) => {
      const tail = tails.join(ctx.org, head.index);
      try {
        const topics = query.topics?.split(',');
        await follow(tail, await start(stream, head), {
          stream,
          life: head.life,
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
  readonly life: number;
  readonly now: () => number;
  readonly isShown: (row: FeedRow) => boolean;
}

async function follow(tail: Tail, start: number, { stream, life, now, isShown }: Following): Promise<void> {
  let index = start;
  let checkedAt = now();
  while (!stream.closed.aborted) {
    const { rows, reached } = await tail.next(index, stream.closed);
    if (now() - checkedAt >= ACCESS_CHECK_MS || rows.some((row) => ABOUT_ACCESS.test(row.type))) {
      checkedAt = now();
      await stream.recheckAccess();
    }
    await sendRows(stream, life, rows.filter(isShown));
    index = reached;
    await tail.more(index, ACCESS_CHECK_MS, stream.closed);
  }
}

/** Nothing is sent to a listener that has just lost its access. */
async function sendRows(stream: EventStream, life: number, rows: readonly FeedRow[]): Promise<void> {
  for (const row of rows) {
    if (stream.closed.aborted) return;
    await stream.send({ id: eventId(life, row.index), event: row.type, data: toFeedEvent(row) });
  }
}

const FROM_THE_FIRST = '0';

/** Where the stream begins: after the last event the client saw, at the first one, or now. */
async function start(stream: EventStream, head: FeedHead): Promise<number> {
  if (stream.lastEventId === undefined) return head.index;
  if (stream.lastEventId === FROM_THE_FIRST) return -1;
  const seen = readEventId(stream.lastEventId);
  if (seen?.life === head.life && seen.index <= head.index) return seen.index;
  await stream.send({ id: eventId(head.life, head.index), event: 'reset', data: { index: head.index } });
  return head.index;
}

function eventId(life: number, index: number): string {
  return `${life}.${index}`;
}

function readEventId(text: string): FeedHead | undefined {
  const [, life, index] = /^(\d{1,9})\.(\d{1,15})$/.exec(text) ?? [];
  return life === undefined ? undefined : { life: Number(life), index: Number(index) };
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
