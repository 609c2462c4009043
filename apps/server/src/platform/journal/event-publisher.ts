import { jetstream } from '@nats-io/jetstream';
import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { cloudEventOf, type PublishedEntry } from './cloud-event.ts';
import type { LanePosition } from './pass.ts';
import { ensureStream, eventSubject, type Linked, type StreamLink } from './stream.ts';

/** One publisher per database; the others wait for its advisory lock. */
const PUBLISHER_LOCK = 7_201_002;
const BATCH_PER_LANE = 128;
const POLL_MS = 500;
/** Entries sequenced within this time of a batch are published together: a batch costs more than its content. */
const APART_MS = 100;
const STANDBY_MS = 1_000;
/** Longer than a leader waits for the stream to answer. */
const LEADER_IDLE_MS = 15_000;

interface PublisherParts {
  readonly db: Db;
  readonly stream: Pick<StreamLink, 'current'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

type LeaderParts = Omit<PublisherParts, 'stream'> & Linked;

/** Publishes each entry of the ledger to the event bus, in order and at least once, while it is the leader. */
export async function runEventPublisher(parts: PublisherParts): Promise<void> {
  while (!parts.signal.aborted) {
    const linked = parts.stream.current();
    try {
      // Lock and cursor use one connection: a leader that lost its lock cannot move the cursor either.
      if (linked) {
        await parts.db.connection().execute(async (db) => {
          if (await becomeLeader(db)) await lead({ ...parts, ...linked, db });
        });
      }
    } catch (error) {
      if (!parts.signal.aborted) parts.log.warn({ error: String(error) }, 'event publisher stopped, will start again');
    }
    await pause(STANDBY_MS, parts.signal);
  }
}

async function becomeLeader(db: Db): Promise<boolean> {
  const { rows } = await sql<{ won: boolean }>`select pg_try_advisory_lock(${PUBLISHER_LOCK}) as won`.execute(db);
  if (!rows[0]?.won) return false;
  await sql`set idle_session_timeout = ${sql.lit(LEADER_IDLE_MS)}`.execute(db);
  return true;
}

async function lead(parts: LeaderParts): Promise<void> {
  parts.log.info('event publisher leads');
  try {
    await ensureStream(parts.nats, parts.stream);
    while (!parts.signal.aborted) {
      const published = await publishNext(parts);
      await pause(published > 0 ? APART_MS : POLL_MS, parts.signal);
    }
  } finally {
    await resign(parts.db).catch(() => undefined);
  }
}

async function resign(db: Db): Promise<void> {
  await sql`reset idle_session_timeout`.execute(db);
  await sql`select pg_advisory_unlock(${PUBLISHER_LOCK})`.execute(db);
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
   cross join lateral (
     select ledger.position, ledger.org_id, ledger.index, journal.id, journal.type, journal.subject_kind,
       journal.subject_id, journal.actor_name, journal.recorded_at, (select life from sequencer) as life
     from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
     where ledger.lane = cursor.lane and ledger.position > cursor.position
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
