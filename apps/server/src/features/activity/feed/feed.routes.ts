import * as api from '@waymark/contract';
import { batch, watchBatch } from '../../../platform/db/batch.ts';
import { createFairQueue } from '../../../platform/fair-queue.ts';
import type { App } from '../../../platform/http/app.ts';
import { type EventStream, handleEvents } from '../../../platform/http/event-stream.ts';
import type { StreamLimits } from '../../../platform/http/open-streams.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { FOR_ADMINS, seesAll } from './entry-access.reads.ts';
import {
  type FeedHead,
  type FeedPart,
  type FeedPlace,
  type FeedRow,
  findFeedHeads,
  listFeeds,
  readFeed,
} from './feed.store.ts';
import type { Listeners } from './listeners.ts';
import type { Tail } from './tail.ts';
import { createTails } from './tails.ts';

/** Entries after which a listener may have lost access. */
const ABOUT_ACCESS = /^(membership|api_key|service_account|session|sso)\./;

const REFUSAL = 'Too many event streams are starting. Try again shortly';

/**
 * Limits what one server reads for listeners that are behind, so that those who reconnect all at once leave connections
 * for other requests.
 */
const queueOf = ({ perServer }: StreamLimits) => ({
  running: 4,
  runningPerOrg: 2,
  // A listener waits for one read at a time.
  waiting: perServer,
  waitingPerOrg: perServer,
  patienceMs: 10_000,
  heavyFromMs: 1_000,
  refusal: REFUSAL,
});

export function feedRoutes(app: App, listeners: Listeners): void {
  const queue = createFairQueue(queueOf(app.streamLimits));
  app.watchQueue('feed', queue.figures);
  // Orgs that have news at the same time share a statement, and so do streams that begin.
  const news = batch<FeedPlace, FeedPart>({
    run: (places) => listFeeds(app.db, places),
    shareOf: ({ org }) => org,
    refusal: REFUSAL,
  });
  watchBatch(app.watchQueue, 'feed_news', news);
  const heads = batch<string, FeedHead>({
    run: (orgs) => findFeedHeads(app.db, orgs),
    shareOf: (org) => org,
    waitingPerShare: 4_096,
    refusal: REFUSAL,
  });
  watchBatch(app.watchQueue, 'feed_heads', heads);
  const tails = createTails({
    listeners,
    readNew: (place) => news.send(place),
    readOld: (place, signal) => queue.run(place.org, () => readFeed(app.db, place), signal),
  });

  handleEvents(
    app,
    api.streamEvents,
    (ctx) => heads.send(ctx.org),
    async (ctx, { query }, stream, head) => {
      const tail = tails.join(ctx.org, head);
      try {
        const topics = query.topics?.split(',');
        await follow(tail, await start(stream, head), {
          stream,
          life: head.life,
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
  readonly isShown: (row: FeedRow) => boolean;
}

async function follow(tail: Tail, start: number, { stream, life, isShown }: Following): Promise<void> {
  let index = start;
  while (!stream.closed.aborted) {
    const { rows, reached } = await tail.next(index);
    const aboutAccess = rows.findLast((row) => ABOUT_ACCESS.test(row.type));
    if (rows.length > 0) await stream.requireAccess(aboutAccess?.readAt);
    await sendRows(stream, life, rows.filter(isShown));
    index = reached;
    await tail.more(index, stream.closed);
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
