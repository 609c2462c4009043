import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { isTooLong, isUnavailable, storableMessage } from '../db/failure.ts';
import { statement } from '../db/statement.ts';
import { ENTRY_OF_LEDGER } from './journal-range.ts';
import type { LanePosition } from './pass.ts';

/** Entries of a turn, shared equally by its lanes. */
const BATCH = 500;
const ATTEMPTS = 3;

/** An entry as processors see it. What it is about is read from the current state. */
export interface Entry {
  readonly org_id: string;
  /** The key of its row in the journal. */
  readonly seq: number;
  readonly id: string;
  readonly recorded_at: Date;
  readonly type: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly actor_name: string;
}

/** Reacts to entries. `apply` gets those of each org in order, in the transaction that also moves the positions. */
export interface Processor {
  readonly name: string;
  /** Where it begins when it first runs in an installation: at the first entry, or after those that exist. */
  readonly begins: 'at the first entry' | 'now';
  apply(db: Db, entries: readonly Entry[]): Promise<void>;
  /** Called after the commit, for example to wake listeners. May be skipped when the worker dies. */
  committed?(entries: readonly Entry[]): void;
}

export interface Turn {
  readonly db: Db;
  readonly processor: Processor;
  readonly lanes: readonly number[];
  /** Only the worker that holds a lane may take a turn in it. */
  readonly holder: string;
  /** Ends the turn between two of its transactions. */
  readonly signal?: AbortSignal;
}

export interface TurnOutcome {
  /** `more` when there may be further entries right now, `done` when there were none, `lost` when no lane is held. */
  readonly kind: 'more' | 'done' | 'lost';
  /** How far the lanes have come that are held. */
  readonly positions: readonly LanePosition[];
}

/** Applies the next entries of the lanes. An entry that fails goes to the dead letters. */
export async function takeTurn(turn: Turn): Promise<TurnOutcome> {
  const held = await listHeld(turn);
  if (!held.some(({ is_behind }) => is_behind)) {
    const positions = held.map(({ lane, position }) => ({ lane, position }));
    return { kind: held.length === 0 ? 'lost' : 'done', positions };
  }
  const share = Math.ceil(BATCH / turn.lanes.length);
  if (turn.lanes.length === 1) return applyRange(turn, share);
  try {
    return await withNext(turn, share, (db, entries) => turn.processor.apply(db, entries));
  } catch (error) {
    if (isOutage(error)) throw error;
  }
  const outcomes: TurnOutcome[] = [];
  for (const lane of turn.lanes) {
    if (!turn.signal?.aborted) outcomes.push(await applyRange({ ...turn, lanes: [lane] }, share));
  }
  return joined(outcomes);
}

function joined(outcomes: readonly TurnOutcome[]): TurnOutcome {
  const kinds = new Set(outcomes.map(({ kind }) => kind));
  const kind = kinds.has('more') ? 'more' : kinds.has('done') ? 'done' : 'lost';
  return { kind, positions: outcomes.flatMap(({ positions }) => positions) };
}

/** Halves a failing range of one lane until the bad entry is alone, so that it costs few attempts and blocks no other. */
async function applyRange(turn: Turn, limit: number): Promise<TurnOutcome> {
  let size = limit;
  try {
    return await withNext(turn, limit, (db, entries, listed) => {
      size = listed;
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
    for (const { org_id, seq, recorded_at, type } of entries) {
      await db
        .insertInto('dead_letter')
        .values({ org_id, processor: turn.processor.name, seq, recorded_at, type, error, failed_at: sql`now()` })
        .execute();
    }
  });
}

async function withNext(
  { db, processor, lanes, holder }: Turn,
  limit: number,
  /** Not called when there is no entry to work on. `listed` counts the imported ones as well. */
  work: (db: Db, entries: readonly Entry[], listed: number) => Promise<void>,
): Promise<TurnOutcome> {
  let entries: readonly Entry[] = [];
  const outcome = await db.transaction().execute(async (db): Promise<TurnOutcome> => {
    const rows = await lockAndListNext(db, { processor: processor.name, lanes, holder, limit });
    const listed = rows.filter((row): row is NextRow & ListedEntry => row.seq !== null);
    entries = listed.filter(({ is_imported }) => !is_imported);
    const reached = new Map(rows.map(({ lane, position }) => [lane, position]));
    const positions = Array.from(reached, ([lane, position]) => ({ lane, position }));
    if (listed.length === 0) return { kind: positions.length === 0 ? 'lost' : 'done', positions };
    if (entries.length > 0) await work(db, entries, listed.length);
    await movePositions(db, {
      processor: processor.name,
      lanes: positions.map(({ lane }) => lane),
      positions: positions.map(({ position }) => position),
    });
    return { kind: isAnyFull(rows, limit) ? 'more' : 'done', positions };
  });
  if (entries.length > 0) processor.committed?.(entries);
  return outcome;
}

interface ListedEntry extends Entry {
  /** The entry came with its org from another database, where it was processed. */
  readonly is_imported: boolean | null;
}

/** The lane is held; without an entry, its position is the one reached before. */
type NextRow = LanePosition & (ListedEntry | { readonly seq: null });

/** Whether a lane gave as many entries as it may, so that it may have more. */
function isAnyFull(rows: readonly NextRow[], limit: number): boolean {
  const counts = new Map<number, number>();
  for (const { lane, seq } of rows) if (seq !== null) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  return Math.max(...counts.values()) >= limit;
}

/**
 * Locks the positions of the lanes that this worker holds, and lists what follows. The commit need not wait for the
 * disk: should a crash lose it, effect and position are lost together, and the turn is repeated.
 */
const lockAndListNext = statement<
  { processor: string; lanes: readonly number[]; holder: string; limit: number },
  NextRow
>(
  'lock_and_list_next',
  `with relaxed as materialized (
     select set_config('synchronous_commit', 'off', true) as setting
   ), held as (
     select lane, position from processor_position
     where processor = :processor and lane = any(:lanes::smallint[]) and holder = :holder for update
   )
   select held.lane, coalesce(entry.position, held.position) as position, org_id, seq, id, recorded_at, type,
     subject_kind, subject_id, actor_name, is_imported
   from relaxed cross join held join lane_head as head using (lane)
   left join lateral (
     select ledger.position, ledger.org_id, journal.seq, journal.id, journal.recorded_at, journal.type,
       journal.subject_kind, journal.subject_id, journal.actor_name, journal.is_imported
     from ledger cross join lateral (${ENTRY_OF_LEDGER}) as journal
     where ledger.lane = held.lane and ledger.position > held.position and ledger.position <= head.position
     order by ledger.position limit :limit
   ) as entry on head.position > held.position
   order by held.lane, entry.position`,
);

/** Asked before a turn, because most have nothing to do, and planning what follows looks at every range of the ledger. */
const findHeld = statement<
  { processor: string; lanes: readonly number[]; holder: string },
  LanePosition & { readonly is_behind: boolean }
>(
  'find_held_lanes',
  `select lane, reached.position, head.position > reached.position as is_behind
   from processor_position as reached join lane_head as head using (lane)
   where processor = :processor and lane = any(:lanes::smallint[]) and holder = :holder`,
);

function listHeld({ db, processor, lanes, holder }: Turn) {
  return findHeld(db, { processor: processor.name, lanes, holder });
}

const movePositions = statement<{ processor: string; lanes: readonly number[]; positions: readonly number[] }, never>(
  'move_positions',
  `update processor_position as stored set position = reached.position
   from unnest(:lanes::smallint[], :positions::bigint[]) as reached (lane, position)
   where stored.processor = :processor and stored.lane = reached.lane`,
);
