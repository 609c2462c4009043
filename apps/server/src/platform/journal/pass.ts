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
import { type LeafSource, leafHashOf } from './leaf.ts';

const MAX_AT_ONCE = 1_000;

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
  readonly isCut: boolean;
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

interface Row extends LeafSource {
  readonly seq: number;
  readonly org_id: string;
}

/** The columns are null where there is no entry. */
type ReadRow = { readonly snapshot: string; readonly is_idle: boolean } & (Row | { readonly seq: null });

/**
 * One statement, hence one snapshot: its oldest running transaction, the visible entries above the high water, and
 * those in gaps. The lowest numbers come first, so a limit never hides an entry below one that is shown.
 */
const readUnsequenced = statement<
  { high_water: number; from_seqs: readonly number[]; to_seqs: readonly number[]; limit: number },
  ReadRow
>(
  'read_unsequenced',
  `select pg_current_snapshot()::text as snapshot, pg_current_xact_id_if_assigned() is null as is_idle, entry.*
   from (select) as one left join lateral (
     select * from (
       (
         select late.* from unnest(:from_seqs::bigint[], :to_seqs::bigint[]) as gap (from_seq, to_seq)
         cross join lateral (
           select seq, org_id, id, type, version, recorded_at, actor_kind, actor_id, actor_name, actor_digest, nonce,
             subject_kind, subject_id, subject_seq, payload_digest
           from journal where seq between gap.from_seq and gap.to_seq order by seq limit :limit
         ) as late
       )
       union all
       (
         select seq, org_id, id, type, version, recorded_at, actor_kind, actor_id, actor_name, actor_digest, nonce,
           subject_kind, subject_id, subject_seq, payload_digest
         from journal where seq > :high_water order by seq limit :limit
       )
     ) as visible
     order by seq limit :limit
   ) as entry on true
   order by entry.seq`,
);

interface Stored extends Record<string, unknown> {
  readonly pass: number;
  readonly high_water: number;
  readonly orgs: readonly string[];
  readonly lanes: readonly number[];
  readonly seqs: readonly number[];
  readonly ids: readonly string[];
  readonly hashes: readonly Buffer[];
  readonly removed_from: readonly number[];
  readonly removed_to: readonly number[];
  readonly gap_from: readonly number[];
  readonly gap_to: readonly number[];
  readonly gap_noticed: readonly (string | null)[];
}

interface StoredRow {
  readonly noticed: string;
  readonly is_fenced: boolean;
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
     update sequencer set pass = pass + 1, high_water = :high_water, sequenced = sequenced + cardinality(:seqs::bigint[])
     where pass = :pass returning pass
   ), entry as materialized (
     select org_id, lane, entry_seq, entry_id, leaf_hash,
       row_number() over (partition by org_id order by entry_seq) as of_org,
       row_number() over (partition by lane order by entry_seq) as of_lane
     from fence, unnest(:orgs::uuid[], :lanes::smallint[], :seqs::bigint[], :ids::uuid[], :hashes::bytea[])
       as entry (org_id, lane, entry_seq, entry_id, leaf_hash)
   ), org_head as (
     insert into ledger_head as head (org_id, size)
     select org_id, count(*) from entry group by org_id order by org_id
     on conflict (org_id) do update set size = head.size + excluded.size
     returning org_id, size
   ), grown as (
     select org_id, size - (select count(*) from entry where entry.org_id = org_head.org_id) as base from org_head
   ), lane as (
     update lane_head as head set position = position + added.count
     from (select lane, count(*) from entry group by lane) as added where head.lane = added.lane
     returning head.lane, head.position, head.position - added.count as base
   ), stored as (
     insert into ledger (org_id, index, lane, position, entry_seq, entry_id, sequenced_at, leaf_hash)
     select entry.org_id, grown.base + of_org - 1, entry.lane, lane.base + of_lane, entry_seq, entry_id, now(), leaf_hash
     from entry join grown on grown.org_id = entry.org_id join lane on lane.lane = entry.lane
   ), forgotten as (
     delete from journal_gap as gap using fence, unnest(:removed_from::bigint[], :removed_to::bigint[])
       as removed (from_seq, to_seq)
     where gap.from_seq = removed.from_seq and gap.to_seq = removed.to_seq
   ), noticed as (
     insert into journal_gap (from_seq, to_seq, noticed, noticed_at)
     select from_seq, to_seq, coalesce(noticed, pg_current_xact_id()), now()
     from fence, unnest(:gap_from::bigint[], :gap_to::bigint[], :gap_noticed::xid8[]) as gap (from_seq, to_seq, noticed)
   )
   select pg_current_xact_id()::text as noticed, exists (select from fence) as is_fenced, lane.lane, lane.position
   from (select) as one left join lane on true`,
);

/**
 * One pass of the sequencer: reads what became visible, and gives it its places in one transaction. Its own
 * transaction id is drawn after the read, so every transaction that could still show a lower number has a lower id.
 */
export async function takePass(db: Db, sequence: Sequence, limit: number): Promise<Passed> {
  return db.transaction().execute(async (db) => {
    const { snapshot, entries, readGaps } = await readAll(db, sequence, limit);
    const isCut = entries.length === limit;
    const seqs = entries.map(({ seq }) => seq);
    const gaps = sequence.gaps.filter((gap) => readGaps.has(gap)).map(({ gap }) => gap);
    const advanced = advance(sequence.highWater, gaps, { seqs, xmin: snapshot.xmin, isCut });
    const lanes = new Map<number, number>();
    let pass = sequence.pass;
    let noticed = 0n;
    if (entries.length > 0 || advanced.removed.length > 0) {
      const rows = await storePass(db, toStored(pass, entries, advanced));
      if (!rows[0]?.is_fenced) throw new Replaced();
      pass += 1;
      noticed = BigInt(rows[0].noticed);
      for (const { lane, position } of rows) if (lane !== null) lanes.set(lane, position);
    }
    return {
      sequence: {
        pass,
        highWater: advanced.highWater,
        gaps: watchGaps(sequence.gaps, readGaps, advanced, { noticed, snapshot, isCut }),
      },
      orgs: [...new Set(entries.map(({ org_id }) => org_id))],
      lanes: Array.from(lanes, ([lane, position]) => ({ lane, position })),
      count: entries.length,
      isCut,
    };
  });
}

/** Reads until the snapshot of the last read leaves no gap out that it may show an entry in. */
async function readAll(db: Db, { highWater, gaps }: Sequence, limit: number) {
  const readGaps = new Set(gaps.filter(({ unended }) => unended === undefined));
  for (;;) {
    const chosen = gaps.filter((gap) => readGaps.has(gap)).map(({ gap }) => gap);
    const { snapshot, entries } = await read(db, highWater, chosen, limit);
    const late = gaps.filter((gap) => !readGaps.has(gap) && isDue(gap, snapshot));
    if (late.length === 0) return { snapshot, entries, readGaps };
    for (const gap of late) readGaps.add(gap);
  }
}

async function read(
  db: Db,
  highWater: number,
  gaps: readonly Gap[],
  limit: number,
): Promise<{ snapshot: Snapshot; entries: readonly Row[] }> {
  const rows = await readUnsequenced(db, {
    high_water: highWater,
    from_seqs: gaps.map(({ from }) => from),
    to_seqs: gaps.map(({ to }) => to),
    limit,
  });
  const [first] = rows;
  if (!first?.is_idle) throw new Error('a pass has drawn its transaction id before it has read');
  const entries = rows.filter((row): row is ReadRow & Row => row.seq !== null);
  return { snapshot: readSnapshot(first.snapshot), entries };
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
    ids: entries.map(({ id }) => id),
    hashes: entries.map(leafHashOf),
    removed_from: removed.map(({ from }) => from),
    removed_to: removed.map(({ to }) => to),
    gap_from: gaps.map(({ from }) => from),
    gap_to: gaps.map(({ to }) => to),
    gap_noticed: [...noticedBefore, ...added.map(() => null)],
  };
}
