import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { isUnavailable } from '../db/failure.ts';
import type { Xid } from '../db/tables.ts';
import type { Position } from './lanes.ts';

const BATCH = 500;
const ATTEMPTS = 3;

/** An entry as processors see it. What it is about is read from the current state. */
export interface Entry {
  readonly org_id: string;
  readonly xid: Xid;
  readonly seq: number;
  readonly id: string;
  readonly recorded_at: Date;
  readonly type: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly actor_name: string;
}

/** Reacts to facts. `apply` gets the entries of a lane in order, in the transaction that also moves its position. */
export interface Processor {
  readonly name: string;
  apply(db: Db, entries: readonly Entry[]): Promise<void>;
  /** Called after the commit, for example to wake listeners. May be skipped when the worker dies. */
  committed?(entries: readonly Entry[]): void;
}

export interface Turn {
  readonly db: Db;
  readonly processor: Processor;
  readonly lane: number;
  /** Only the worker that holds the lane may take a turn. */
  readonly holder: string;
}

export type Outcome =
  | { readonly kind: 'applied'; readonly position: Position; readonly count: number }
  | { readonly kind: 'idle'; readonly position: Position }
  | { readonly kind: 'lost' };

/** Applies the next published entries of a lane. An entry that cannot be digested goes to the dead letters. */
export async function takeTurn(turn: Turn): Promise<Outcome> {
  try {
    return await applyNext(turn, BATCH);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return applyOneByOne(turn);
  }
}

/** After a failed batch: its entries one at a time, so that the bad one stops nobody else's. */
async function applyOneByOne(turn: Turn): Promise<Outcome> {
  let failure: unknown;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await applyNext(turn, 1);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      failure = error;
    }
  }
  return buryNext(turn, failure);
}

function applyNext(turn: Turn, limit: number): Promise<Outcome> {
  return withNext(turn, limit, (db, entries) => turn.processor.apply(db, entries));
}

function buryNext(turn: Turn, failure: unknown): Promise<Outcome> {
  const message = failure instanceof Error ? failure.message : String(failure);
  // PostgreSQL has no place for U+0000, and a letter that cannot be written would block its lane for ever.
  const error = message.replaceAll('\u0000', '\ufffd');
  return withNext(turn, 1, async (db, entries) => {
    for (const { org_id, xid, seq, recorded_at, type } of entries) {
      await db
        .insertInto('dead_letter')
        .values({ org_id, processor: turn.processor.name, xid, seq, recorded_at, type, error, failed_at: sql`now()` })
        .execute();
    }
  });
}

async function withNext(
  turn: Turn,
  limit: number,
  work: (db: Db, entries: readonly Entry[]) => Promise<void>,
): Promise<Outcome> {
  const { processor, lane, holder } = turn;
  let entries: Entry[] = [];
  const outcome = await turn.db.transaction().execute(async (db): Promise<Outcome> => {
    const position = await db
      .selectFrom('processor_position')
      .select(['xid', 'seq'])
      .where('processor', '=', processor.name)
      .where('lane', '=', lane)
      .where('holder', '=', holder)
      .forUpdate()
      .executeTakeFirst();
    if (!position) return { kind: 'lost' };
    entries = await publishedAfter(db, lane, position, limit);
    const last = entries.at(-1);
    if (!last) return { kind: 'idle', position };
    await work(db, entries);
    await db
      .updateTable('processor_position')
      .set({ xid: last.xid, seq: last.seq })
      .where('processor', '=', processor.name)
      .where('lane', '=', lane)
      .execute();
    return { kind: 'applied', position: { xid: last.xid, seq: last.seq }, count: entries.length };
  });
  if (outcome.kind === 'applied') processor.committed?.(entries);
  return outcome;
}

async function publishedAfter(db: Db, lane: number, position: Position, limit: number): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select org_id, xid, seq, id, recorded_at, type, subject_kind, subject_id, actor_name
    from journal
    where lane = ${lane} and (xid, seq) > (${position.xid}::xid8, ${position.seq}::bigint)
      and (xid, seq) <= (select xid, seq from relay_cursor where lane = ${lane})
    order by xid, seq limit ${limit}`.execute(db);
  return rows;
}
