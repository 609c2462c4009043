import { jetstream } from '@nats-io/jetstream';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { cloudEventOf, type PublishedEntry } from './cloud-event.ts';
import { ENTRY_OF_LEDGER } from './journal-range.ts';
import { runLeader } from './leader.ts';
import type { LanePosition } from './pass.ts';
import { ensureStream, eventSubject, type Linked, type StreamLink } from './stream.ts';

/** One publisher per database; the others wait for its advisory lock. */
const PUBLISHER_LOCK = 7_201_002;
const BATCH_PER_LANE = 128;
const POLL_MS = 500;
/** Entries sequenced within this time of a batch are published together: a batch costs more than its content. */
const APART_MS = 100;

interface PublisherParts {
  readonly db: Db;
  readonly stream: Pick<StreamLink, 'current'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

type LeaderParts = Omit<PublisherParts, 'stream'> & Linked;

/** Publishes each entry of the ledger to the event bus, in order and at least once, while it is the leader. */
export function runEventPublisher(parts: PublisherParts): Promise<void> {
  return runLeader({
    ...parts,
    lock: PUBLISHER_LOCK,
    name: 'event publisher',
    isReady: () => parts.stream.current() !== undefined,
    async lead(db) {
      const linked = parts.stream.current();
      if (linked) await lead({ ...parts, ...linked, db });
    },
  });
}

async function lead(parts: LeaderParts): Promise<void> {
  await ensureStream(parts.nats, parts.stream);
  while (!parts.signal.aborted) {
    const published = await publishNext(parts);
    await pause(published > 0 ? APART_MS : POLL_MS, parts.signal);
  }
}

interface UnpublishedRow extends PublishedEntry, LanePosition {}

/** Publishes until nothing is left; while one batch is being published, the next is read. Returns how many it published. */
async function publishNext(parts: LeaderParts): Promise<number> {
  const cursors = new Map<number, number>();
  for (const { lane, position } of await parts.db.selectFrom('event_cursor').selectAll().execute()) {
    cursors.set(lane, position);
  }
  let published = 0;
  let rows = await listUnpublished(parts.db, columnsOf(cursors));
  while (rows.length > 0 && !parts.signal.aborted) {
    for (const { lane, position } of rows) cursors.set(lane, position);
    const [following] = await Promise.all([listUnpublished(parts.db, columnsOf(cursors)), publish(parts, rows)]);
    if (!(await moveCursors(parts.db, rows))) return published + rows.length;
    published += rows.length;
    rows = following;
  }
  return published;
}

/** A failed publication fails the batch, and all of it is published again: the server knows events by their ids. */
async function publish({ nats, stream }: LeaderParts, rows: readonly UnpublishedRow[]): Promise<void> {
  const client = jetstream(nats, { timeout: 5_000 });
  await Promise.all(
    rows.map((row) => {
      const event = JSON.stringify(cloudEventOf(row, stream.region));
      return client.publish(eventSubject(stream, row.lane, row.org_id), event, { msgID: row.id });
    }),
  );
}

interface Columns extends Record<string, unknown> {
  readonly lanes: readonly number[];
  readonly positions: readonly number[];
}

function columnsOf(cursors: ReadonlyMap<number, number>): Columns {
  return { lanes: [...cursors.keys()], positions: [...cursors.values()] };
}

const listUnpublished = statement<Columns, UnpublishedRow>(
  'list_unpublished',
  `select cursor.lane, entry.* from unnest(:lanes::smallint[], :positions::bigint[]) as cursor (lane, position)
   join lane_head as head on head.lane = cursor.lane and head.position > cursor.position
   cross join lateral (
     select ledger.position, ledger.org_id, ledger.index, journal.id, journal.type, journal.subject_kind,
       journal.subject_id, journal.actor_name, journal.recorded_at, (select life from sequencer) as life
     from ledger cross join lateral (${ENTRY_OF_LEDGER}) as journal
     where ledger.lane = cursor.lane and ledger.position > cursor.position and ledger.position <= head.position
     order by ledger.position limit ${BATCH_PER_LANE}
   ) as entry
   order by cursor.lane, entry.position`,
);

/** Whether all cursors moved. One that an operator has set back meanwhile stays there. */
async function moveCursors(db: Db, rows: readonly UnpublishedRow[]): Promise<boolean> {
  const ends = new Map(rows.map(({ lane, position }) => [lane, position]));
  const starts = new Map(rows.toReversed().map(({ lane, position }) => [lane, position - 1]));
  const moved = await storeCursors(db, {
    ...columnsOf(ends),
    starts: [...ends.keys()].map((lane) => starts.get(lane)),
  });
  return moved.length === ends.size;
}

/** What a crash publishes twice is recognized by its id, or by its index. */
const storeCursors = statement<Columns & { starts: readonly (number | undefined)[] }, { lane: number }>(
  'move_event_cursors',
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true) as setting)
   update event_cursor as stored set position = cursor.position
   from relaxed, unnest(:lanes::smallint[], :positions::bigint[], :starts::bigint[]) as cursor (lane, position, start)
   where stored.lane = cursor.lane and stored.position = cursor.start
   returning stored.lane`,
);
