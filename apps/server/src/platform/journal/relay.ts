import { jetstream } from '@nats-io/jetstream';
import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import type { Xid } from '../db/tables.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { ensureStream, type Linked, laneSubject, pokeSubject, type StreamLink } from './stream.ts';

/** One relay per database publishes; the others wait for its advisory lock. */
const RELAY_LOCK = 7_201_001;
const BATCH_PER_LANE = 512;
const POLL_MS = 500;
/** Entries recorded within this time of a batch are published together: a batch costs more than its content. */
const APART_MS = 100;
/** A poke can arrive while an older transaction still holds the horizon; after this time it has usually ended. */
const RETRY_MS = 20;
const STANDBY_MS = 1_000;
/** Longer than a leader waits for the stream to answer. */
const LEADER_IDLE_MS = 15_000;

/** What the stream carries about an entry: enough to route and to wake, never the content. */
interface Notice {
  readonly id: string;
  readonly xid: Xid;
  readonly seq: number;
  readonly org_id: string;
  readonly type: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly at: string;
}

interface RelayParts {
  readonly db: Db;
  readonly stream: Pick<StreamLink, 'current'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

type LeaderParts = Omit<RelayParts, 'stream'> & Linked;

/** Publishes committed entries to the stream while it is the leader, and waits to become it while it is not. */
export async function runRelay(parts: RelayParts): Promise<void> {
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
      if (!parts.signal.aborted) parts.log.warn({ error: messageOf(error) }, 'relay stopped, will start again');
    }
    await pause(STANDBY_MS, parts.signal);
  }
}

async function becomeLeader(db: Db): Promise<boolean> {
  const { rows } = await sql<{ won: boolean }>`select pg_try_advisory_lock(${RELAY_LOCK}) as won`.execute(db);
  if (!rows[0]?.won) return false;
  // A leader that hangs, or whose machine is gone, would keep the lock for as long as its connection stays open.
  await sql`set idle_session_timeout = ${sql.lit(LEADER_IDLE_MS)}`.execute(db);
  return true;
}

async function lead(parts: LeaderParts): Promise<void> {
  parts.log.info('relay leads');
  let poked = false;
  let wake: () => void = () => undefined;
  const pokes = parts.nats.subscribe(pokeSubject(parts.stream), {
    callback: () => {
      poked = true;
      wake();
    },
  });
  const nextPoke = () => {
    if (poked) return Promise.resolve();
    return new Promise<void>((resolve) => {
      wake = resolve;
    });
  };
  try {
    await ensureStream(parts.nats, parts.stream);
    while (!parts.signal.aborted) {
      poked = false;
      if ((await relayAll(parts)) === 0) {
        await pause(RETRY_MS, parts.signal);
        if ((await relayAll(parts)) === 0) {
          await Promise.race([nextPoke(), pause(POLL_MS, parts.signal)]);
          continue;
        }
      }
      await pause(APART_MS, parts.signal);
    }
  } finally {
    pokes.unsubscribe();
    await resign(parts.db).catch(() => undefined);
  }
}

async function resign(db: Db): Promise<void> {
  await sql`reset idle_session_timeout`.execute(db);
  await sql`select pg_advisory_unlock(${RELAY_LOCK})`.execute(db);
}

interface Row {
  lane: number;
  xid: Xid;
  seq: number;
  id: string;
  org_id: string;
  type: string;
  subject_kind: string;
  subject_id: string;
  recorded_at: Date;
}

/**
 * Publishes pending entries, batch after batch; while one is being published, the next is read. Returns how many it
 * published.
 */
async function relayAll(parts: LeaderParts): Promise<number> {
  const cursors = await parts.db.selectFrom('relay_cursor').selectAll().orderBy('lane').execute();
  let published = 0;
  let rows = await nextRows(parts.db, cursors);
  while (rows.length > 0 && !parts.signal.aborted) {
    for (const { lane, xid, seq } of rows) cursors[lane] = { lane, xid, seq };
    const [following] = await Promise.all([nextRows(parts.db, cursors), publish(parts, rows)]);
    await moveCursors(parts.db, rows);
    published += rows.length;
    rows = following;
  }
  return published;
}

type Cursor = Pick<Row, 'lane' | 'xid' | 'seq'>;

function nextRows(db: Db, cursors: readonly Cursor[]): Promise<Row[]> {
  return listNext(db, { ...columnsOf(cursors), limit: BATCH_PER_LANE });
}

const listNext = statement<Columns & { limit: number }, Row>(
  'list_unpublished',
  `select entry.* from unnest(:lanes::smallint[], :xids::xid8[], :seqs::bigint[]) as cursor (lane, xid, seq)
   cross join lateral (
     select lane, xid, seq, id, org_id, type, subject_kind, subject_id, recorded_at
     from journal
     where lane = cursor.lane and (xid, seq) > (cursor.xid, cursor.seq)
       and xid < pg_snapshot_xmin(pg_current_snapshot())
     order by xid, seq limit :limit
   ) as entry`,
);

/** A failed publication fails the batch, and all of it is published again: consumers go by position. */
async function publish(parts: LeaderParts, rows: readonly Row[]): Promise<void> {
  const client = jetstream(parts.nats, { timeout: 5_000 });
  await Promise.all(
    rows.map((row) => client.publish(laneSubject(parts.stream, row.lane), noticeOf(row), { msgID: row.id })),
  );
}

function noticeOf(row: Row): string {
  const notice: Notice = {
    id: row.id,
    xid: row.xid,
    seq: row.seq,
    org_id: row.org_id,
    type: row.type,
    subject: { kind: row.subject_kind, id: row.subject_id },
    at: row.recorded_at.toISOString(),
  };
  return JSON.stringify(notice);
}

async function moveCursors(db: Db, rows: readonly Row[]): Promise<void> {
  const last = new Map(rows.map((row) => [row.lane, row]));
  await storeCursors(db, columnsOf([...last.values()]));
}

/** What a crash publishes twice is recognized by its id, or skipped by position. */
const storeCursors = statement<Columns, never>(
  'move_relay_cursors',
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true) as setting)
   update relay_cursor as stored set xid = cursor.xid, seq = cursor.seq
   from relaxed, unnest(:lanes::smallint[], :xids::xid8[], :seqs::bigint[]) as cursor (lane, xid, seq)
   where stored.lane = cursor.lane`,
);

interface Columns extends Record<string, unknown> {
  readonly lanes: readonly number[];
  readonly xids: readonly Xid[];
  readonly seqs: readonly number[];
}

function columnsOf(cursors: readonly Cursor[]): Columns {
  return {
    lanes: cursors.map(({ lane }) => lane),
    xids: cursors.map(({ xid }) => xid),
    seqs: cursors.map(({ seq }) => seq),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
