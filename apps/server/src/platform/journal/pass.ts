import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import {
  type Advance,
  advance,
  type Gap,
  isDue,
  readSnapshot,
  type Snapshot,
  type WatchedGap,
  watchGaps,
} from './gaps.ts';
import { laneOf } from './lanes.ts';
import { LEAF_HASH } from './leaf.ts';

const MAX_AT_ONCE = 1_000;
/** Numbers that a pass reads: a multiple of its entries, because some are never used. */
const WINDOW = 8_192;

/** What a sequencer remembers between its passes. All of it is in the database as well. */
export interface Sequence {
  readonly pass: number;
  readonly highWater: number;
  readonly gaps: readonly WatchedGap[];
}

/** Whether a gap has not been read since it was noticed. */
export function isAnyUnread({ gaps }: Sequence): boolean {
  return gaps.some(({ unended }) => unended === undefined);
}

/** What a pass has put in order. */
export interface Passed {
  readonly sequence: Sequence;
  readonly orgs: readonly string[];
  readonly lanes: readonly LanePosition[];
  readonly count: number;
  /** Whether there may be more right now. */
  readonly isMoreVisible: boolean;
}

/** How far a lane has been sequenced. */
export interface LanePosition {
  readonly lane: number;
  readonly position: number;
}

/** Thrown when another sequencer has taken over: what this one remembers is of no use. */
export class Replaced extends Error {
  constructor() {
    super('another sequencer has made a pass');
  }
}

export async function loadSequence(db: Db): Promise<Sequence> {
  const { rows } = await sql<{
    pass: number;
    high_water: number;
    from_seq: number | null;
    to_seq: number;
    noticed: string;
  }>`
    select pass, high_water, from_seq, to_seq, noticed from sequencer left join journal_gap on true
    order by from_seq`.execute(db);
  const [{ pass, high_water } = { pass: 0, high_water: 0 }] = rows;
  const gaps = rows.flatMap(({ from_seq, to_seq, noticed }) =>
    from_seq === null ? [] : [{ gap: { from: from_seq, to: to_seq, noticed: BigInt(noticed) }, unended: undefined }],
  );
  return { pass, highWater: high_water, gaps };
}

/** Puts everything committed so far in order. For histories and tests that are made without a worker. */
export async function sequenceAll(db: Db): Promise<void> {
  let sequence = await loadSequence(db);
  for (let count = -1; count !== 0; ) ({ sequence, count } = await takePass(db, sequence, MAX_AT_ONCE));
}

interface Row {
  readonly seq: number;
  readonly org_id: string;
}

interface ReadRow {
  readonly snapshot: string;
  readonly is_idle: boolean;
  /** The highest number that was ever drawn. */
  readonly drawn: number;
  /** Null where there is no entry. */
  readonly seq: number | null;
  readonly org_id: string;
}

/**
 * One statement, hence one snapshot: its oldest running transaction, the visible entries above the high water up to a
 * number, and those in gaps. The lowest numbers come first, so a limit never hides an entry below one that is shown.
 * Without the upper number, PostgreSQL takes the few entries that its statistics know of for all there are, and sorts
 * everything that waits in each pass.
 */
const readUnsequenced = statement<
  {
    high_water: number;
    upper: number;
    from_seqs: readonly number[];
    to_seqs: readonly number[];
    limit: number;
  },
  ReadRow
>(
  'read_unsequenced',
  `select pg_current_snapshot()::text as snapshot, pg_current_xact_id_if_assigned() is null as is_idle,
     coalesce(pg_sequence_last_value('journal_seq'), 0) as drawn, entry.seq, entry.org_id
   from (select) as one left join lateral (
     select * from (
       (
         select late.* from unnest(:from_seqs::bigint[], :to_seqs::bigint[]) as gap (from_seq, to_seq)
         cross join lateral (
           select seq, org_id from journal where seq between gap.from_seq and gap.to_seq order by seq limit :limit
         ) as late
       )
       union all
       (select seq, org_id from journal where seq > :high_water and seq <= :upper order by seq limit :limit)
     ) as visible
     order by seq limit :limit
   ) as entry on true
   order by entry.seq`,
);

const findNext = statement<{ above: number }, { seq: number }>(
  'find_next_entry',
  'select org_id, seq from journal where seq > :above order by seq limit 1',
);

interface Stored extends Record<string, unknown> {
  readonly pass: number;
  readonly high_water: number;
  readonly orgs: readonly string[];
  readonly lanes: readonly number[];
  readonly seqs: readonly number[];
  readonly removed_from: readonly number[];
  readonly removed_to: readonly number[];
  readonly gap_from: readonly number[];
  readonly gap_to: readonly number[];
  readonly gap_noticed: readonly (string | null)[];
}

interface StoredRow {
  readonly noticed: string;
  readonly is_fenced: boolean;
  readonly entries: number;
  readonly lane: number | null;
  readonly position: number;
}

/**
 * Draws the id of the pass, moves the fence, numbers the entries, and stores the gaps. Nothing is written for a
 * sequencer that has been replaced: everything follows from the row of the fence.
 */
const storePass = statement<Stored, StoredRow>(
  'store_pass',
  `with fence as (
     update sequencer set pass = pass + 1, high_water = :high_water,
       sequenced = sequenced + cardinality(:seqs::bigint[]), receipt = (select last_value from receipt)
     where pass = :pass returning pass
   ), entry as materialized (
     select read.org_id, read.lane, journal.seq as entry_seq, journal.id as entry_id, journal.subject_id, ${LEAF_HASH} as leaf_hash,
       coalesce(org_head.size, 0) + row_number() over (partition by read.org_id order by journal.seq) - 1 as index,
       lane_head.position + row_number() over (partition by read.lane order by journal.seq) as position
     from unnest(:orgs::uuid[], :lanes::smallint[], :seqs::bigint[]) as read (org_id, lane, seq)
     cross join lateral (
       select * from journal where journal.org_id = read.org_id and journal.seq = read.seq offset 0
     ) as journal
     left join ledger_head as org_head on org_head.org_id = read.org_id
     join lane_head on lane_head.lane = read.lane
     where exists (select from fence)
   ), stored as (
     insert into ledger (org_id, index, lane, position, entry_seq, entry_id, subject_id, sequenced_at, leaf_hash)
     select org_id, index, lane, position, entry_seq, entry_id, subject_id, now(), leaf_hash from entry
   ), org_head as (
     insert into ledger_head (org_id, size) select org_id, max(index) + 1 from entry group by org_id order by org_id
     on conflict (org_id) do update set size = excluded.size
   ), lane as (
     update lane_head as head set position = reached.position
     from (select lane, max(position) as position from entry group by lane) as reached where head.lane = reached.lane
     returning head.lane, head.position
   ), forgotten as (
     delete from journal_gap as gap using fence, unnest(:removed_from::bigint[], :removed_to::bigint[])
       as removed (from_seq, to_seq)
     where gap.from_seq = removed.from_seq and gap.to_seq = removed.to_seq
   ), noticed as (
     insert into journal_gap (from_seq, to_seq, noticed, noticed_at)
     select from_seq, to_seq, coalesce(noticed, pg_current_xact_id()), now()
     from fence, unnest(:gap_from::bigint[], :gap_to::bigint[], :gap_noticed::xid8[]) as gap (from_seq, to_seq, noticed)
   )
   select pg_current_xact_id()::text as noticed, exists (select from fence) as is_fenced,
     (select count(*) from entry) as entries, lane.lane, lane.position
   from (select) as one left join lane on true`,
);

/**
 * One pass of the sequencer: reads what became visible, and gives it its places in one transaction. Its own
 * transaction id is drawn after the read, so every transaction that could still show a lower number has a lower id.
 */
export async function takePass(db: Db, sequence: Sequence, limit: number): Promise<Passed> {
  return db.transaction().execute(async (db) => {
    const { snapshot, entries, readGaps, isBelowDrawn } = await readAll(db, sequence, limit);
    const isCut = entries.length === limit;
    const seqs = entries.map(({ seq }) => seq);
    const gaps = sequence.gaps.filter((gap) => readGaps.has(gap)).map(({ gap }) => gap);
    const advanced = advance(sequence.highWater, gaps, { seqs, xmin: snapshot.xmin, isCut });
    const isAnything = entries.length > 0 || advanced.removed.length > 0;
    const stored = isAnything ? await store(db, sequence.pass, entries, advanced) : NOTHING_STORED;
    return {
      sequence: {
        pass: sequence.pass + (isAnything ? 1 : 0),
        highWater: advanced.highWater,
        gaps: watchGaps(sequence.gaps, readGaps, advanced, { noticed: stored.noticed, snapshot, isCut }),
      },
      orgs: [...new Set(entries.map(({ org_id }) => org_id))],
      lanes: stored.lanes,
      count: entries.length,
      isMoreVisible: entries.length > 0 && (isCut || isBelowDrawn),
    };
  });
}

const NOTHING_STORED = { noticed: 0n, lanes: [] };

async function store(db: Db, pass: number, entries: readonly Row[], advanced: Advance) {
  const rows = await storePass(db, toStored(pass, entries, advanced));
  const [first] = rows;
  if (!first?.is_fenced) throw new Replaced();
  if (first.entries !== entries.length) throw new Error('an entry that the pass has read is gone');
  const lanes = rows.flatMap(({ lane, position }) => (lane === null ? [] : [{ lane, position }]));
  return { noticed: BigInt(first.noticed), lanes };
}

/**
 * Reads until the snapshot of the last read leaves no gap out that it may show an entry in, and until it reaches far
 * enough above the high water to show what is there.
 */
async function readAll(db: Db, { highWater, gaps }: Sequence, limit: number) {
  const readGaps = new Set(gaps.filter(({ unended }) => unended === undefined));
  let upper = highWater + WINDOW;
  for (;;) {
    const chosen = gaps.filter((gap) => readGaps.has(gap)).map(({ gap }) => gap);
    const { snapshot, drawn, entries } = await read(db, { highWater, upper, limit }, chosen);
    const late = gaps.filter((gap) => !readGaps.has(gap) && isDue(gap, snapshot));
    for (const gap of late) readGaps.add(gap);
    const isBelowDrawn = upper < drawn;
    const next = isBelowDrawn && isNoneAbove(entries, highWater) ? await findNext(db, { above: upper }) : [];
    for (const { seq } of next) upper = seq + WINDOW;
    if (late.length === 0 && next.length === 0) return { snapshot, entries, readGaps, isBelowDrawn };
  }
}

function isNoneAbove(entries: readonly Row[], highWater: number): boolean {
  return (entries.at(-1)?.seq ?? 0) <= highWater;
}

interface ReadRange {
  readonly highWater: number;
  readonly upper: number;
  readonly limit: number;
}

async function read(
  db: Db,
  { highWater, upper, limit }: ReadRange,
  gaps: readonly Gap[],
): Promise<{ snapshot: Snapshot; drawn: number; entries: readonly Row[] }> {
  const rows = await readUnsequenced(db, {
    high_water: highWater,
    upper,
    from_seqs: gaps.map(({ from }) => from),
    to_seqs: gaps.map(({ to }) => to),
    limit,
  });
  const [first] = rows;
  if (!first?.is_idle) throw new Error('a pass has drawn its transaction id before it has read');
  const entries = rows.flatMap(({ seq, org_id }) => (seq === null ? [] : [{ seq, org_id }]));
  return { snapshot: readSnapshot(first.snapshot), drawn: first.drawn, entries };
}

function toStored(pass: number, entries: readonly Row[], { highWater, removed, remaining, added }: Advance): Stored {
  const noticedBefore = remaining.map(({ noticed }) => String(noticed));
  const gaps = [...remaining, ...added];
  return {
    pass,
    high_water: highWater,
    orgs: entries.map(({ org_id }) => org_id),
    lanes: entries.map(({ org_id }) => laneOf(org_id)),
    seqs: entries.map(({ seq }) => seq),
    removed_from: removed.map(({ from }) => from),
    removed_to: removed.map(({ to }) => to),
    gap_from: gaps.map(({ from }) => from),
    gap_to: gaps.map(({ to }) => to),
    gap_noticed: [...noticedBefore, ...added.map(() => null)],
  };
}
