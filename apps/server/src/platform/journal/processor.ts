import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { isTooLong, isUnavailable, storableMessage } from '../db/failure.ts';
import { statement } from '../db/statement.ts';
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

/** Reacts to entries. `apply` gets the entries of a lane in order, in the transaction that also moves its position. */
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
  /** Ends the turn between two of its transactions. */
  readonly signal?: AbortSignal;
}

/**
 * `more` when there may be further entries right now, `done` when there were none, `lost` when another holds the lane.
 */
export type TurnOutcome = { readonly kind: 'more' | 'done'; readonly position: Position } | { readonly kind: 'lost' };

/** Applies the next entries of a lane. An entry that fails goes to the dead letters. */
export function takeTurn(turn: Turn): Promise<TurnOutcome> {
  return applyRange(turn, BATCH);
}

/** Halves a failing range until the bad entry is alone, so that it costs few attempts and blocks no other entry. */
async function applyRange(turn: Turn, limit: number): Promise<TurnOutcome> {
  let size = limit;
  try {
    return await withNext(turn, limit, (db, entries) => {
      size = entries.length;
      return turn.processor.apply(db, entries);
    });
  } catch (error) {
    if (isOutage(error)) throw error;
    if (size === 1) return applyAlone(turn, error);
  }
  const half = Math.ceil(size / 2);
  const outcome = await applyRange(turn, half);
  if (outcome.kind === 'lost' || turn.signal?.aborted) return outcome;
  return applyRange(turn, size - half);
}

/** An entry that has failed once by itself. */
async function applyAlone(turn: Turn, first: unknown): Promise<TurnOutcome> {
  let failure = first;
  for (let attempt = 2; attempt <= ATTEMPTS; attempt++) {
    try {
      return await withNext(turn, 1, (db, entries) => turn.processor.apply(db, entries));
    } catch (error) {
      if (isOutage(error)) throw error;
      failure = error;
    }
  }
  return buryNext(turn, failure);
}

/** What takes too long as a batch may succeed in parts; any other unavailability passes by itself. */
function isOutage(error: unknown): boolean {
  return isUnavailable(error) && !isTooLong(error);
}

function buryNext(turn: Turn, failure: unknown): Promise<TurnOutcome> {
  // A letter that cannot be written would block its lane for ever.
  const error = storableMessage(failure);
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
): Promise<TurnOutcome> {
  const { processor, lane, holder } = turn;
  let entries: Entry[] = [];
  const outcome = await turn.db.transaction().execute(async (db): Promise<TurnOutcome> => {
    entries = await lockAndListNext(db, { processor: processor.name, lane, holder, limit });
    const last = entries.at(-1);
    if (!last) return doneOrLost(db, turn);
    await work(db, entries);
    await movePosition(db, { processor: processor.name, lane, xid: last.xid, seq: last.seq });
    const position = { xid: last.xid, seq: last.seq };
    return entries.length < limit ? { kind: 'done', position } : { kind: 'more', position };
  });
  if (entries.length > 0 && outcome.kind !== 'lost') processor.committed?.(entries);
  return outcome;
}

/**
 * Locks the position, if this worker holds it, and lists what follows. Below the oldest running transaction the order
 * is final: nothing can appear there late. The commit need not wait for the disk: should a crash lose it, effect and
 * position are lost together, and the turn is repeated.
 */
const lockAndListNext = statement<{ processor: string; lane: number; holder: string; limit: number }, Entry>(
  'lock_and_list_next',
  `with relaxed as materialized (
     select set_config('synchronous_commit', 'off', true) as setting
   ), held as (
     select xid, seq from processor_position
     where processor = :processor and lane = :lane and holder = :holder for update
   )
   select entry.* from relaxed cross join held
   cross join lateral (
     select org_id, xid, seq, id, recorded_at, type, subject_kind, subject_id, actor_name
     from journal
     where lane = :lane and (xid, seq) > (held.xid, held.seq) and xid < pg_snapshot_xmin(pg_current_snapshot())
     order by xid, seq limit :limit
   ) as entry`,
);

const movePosition = statement<{ processor: string; lane: number; xid: Xid; seq: number }, never>(
  'move_position',
  'update processor_position set xid = :xid, seq = :seq where processor = :processor and lane = :lane',
);

async function doneOrLost(db: Db, { processor, lane, holder }: Turn): Promise<TurnOutcome> {
  const position = await db
    .selectFrom('processor_position')
    .select(['xid', 'seq'])
    .where('processor', '=', processor.name)
    .where('lane', '=', lane)
    .where('holder', '=', holder)
    .executeTakeFirst();
  return position ? { kind: 'done', position } : { kind: 'lost' };
}
