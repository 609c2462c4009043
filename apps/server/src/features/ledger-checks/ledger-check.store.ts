import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { CheckPlace } from './ledger-check.service.ts';

/** A comparison under way. */
export interface Progress {
  readonly place: CheckPlace;
  readonly found: number;
  readonly firstFound: string | null;
}

interface Row {
  readonly index: number;
  readonly position: number;
  readonly seq: number;
  readonly roots: Buffer;
  readonly found: number;
  readonly first_found: string | null;
}

/** Begins a comparison of an org, or continues the one that is under way. */
export async function openProgress(db: Db, org: string, restart: boolean): Promise<Progress> {
  const { rows } = await sql<Row>`
    insert into ledger_check as stored (org_id, began_at, turn_at) values (${org}, now(), now())
    on conflict (org_id) do update set
      turn_at = now(),
      began_at = case when ${restart} then now() else coalesce(stored.began_at, now()) end,
      found = case when ${restart} then 0 else stored.found end,
      first_found = case when ${restart} then null else stored.first_found end,
      index = case when ${restart} then 0 else stored.index end,
      position = case when ${restart} then 0 else stored.position end,
      seq = case when ${restart} then 0 else stored.seq end,
      roots = case when ${restart} then '' else stored.roots end
    returning index, position, seq, roots, found, first_found`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('a comparison of the ledger was not stored');
  const { index, position, seq, roots, found, first_found: firstFound } = row;
  return { place: { order: { index, position, seq }, tree: { size: index, roots } }, found, firstFound };
}

/** Stores how far it has come. Returns false if another process has gone on with it meanwhile. */
export async function storeProgress(db: Db, org: string, from: number, progress: Progress): Promise<boolean> {
  const { place, found, firstFound } = progress;
  const { index, position, seq } = place.order;
  const { numAffectedRows } = await sql`
    update ledger_check set index = ${index}, position = ${position}, seq = ${seq},
      roots = ${Buffer.from(place.tree.roots)}, found = ${found}, first_found = ${firstFound}
    where org_id = ${org} and index = ${from} and began_at is not null`.execute(db);
  return numAffectedRows === 1n;
}

/** Stores the result of a comparison that came to its end. */
export async function storeResult(db: Db, org: string, { place, found, firstFound }: Progress): Promise<void> {
  await sql`
    update ledger_check set at = now(), entries = ${place.order.index}, problems = ${found}, first_problem = ${firstFound},
      began_at = null, found = 0, first_found = null, index = 0, position = 0, seq = 0, roots = ''
    where org_id = ${org}`.execute(db);
}

/** The org whose last turn was longest ago; one without any turn comes first. */
export async function findNextOrg(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ org_id: string }>`
    select head.org_id from ledger_head as head left join ledger_check as checked on checked.org_id = head.org_id
    order by checked.turn_at nulls first, head.org_id limit 1`.execute(db);
  return rows[0]?.org_id;
}

export async function storeRegionResult(
  db: Db,
  { leaves, problems, first }: { leaves: number; problems: number; first: string | null },
): Promise<void> {
  await sql`
    insert into region_check (at, leaves, problems, first_problem) values (now(), ${leaves}, ${problems}, ${first})
    on conflict (one) do update set at = excluded.at, leaves = excluded.leaves, problems = excluded.problems,
      first_problem = excluded.first_problem`.execute(db);
}

/** The first entry that was recorded at a time or later. */
export async function findIndexSince(db: Db, org: string, since: Date): Promise<number | undefined> {
  const { rows } = await sql<{ index: number }>`
    select ledger.index from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    where ledger.org_id = ${org} and journal.org_id = ${org} and journal.recorded_at >= ${since}
    order by ledger.index limit 1`.execute(db);
  return rows[0]?.index;
}
