import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '../../src/platform/db/db.ts';
import type { KnownFlow } from './load.ts';

/** How many entries have no place in the order yet, or were not processed by some processor. */
export async function countUnprocessed(db: Db): Promise<number> {
  const { rows } = await sql<{ behind: number }>`
    select (select count(*) from journal) - (select count(*) from ledger) + (
      select coalesce(sum(head.position - reached.position), 0)
      from processor_position as reached join lane_head as head using (lane)
    ) as behind`.execute(db);
  return Number(rows[0]?.behind ?? Number.NaN);
}

export async function untilProcessed(db: Db): Promise<void> {
  await expect.poll(() => countUnprocessed(db), { timeout: 90_000, interval: 100 }).toBe(0);
}

export async function countEntries(db: Db): Promise<number> {
  const { rows } = await sql<{ entries: number }>`select count(*) as entries from journal`.execute(db);
  return rows[0]?.entries ?? Number.NaN;
}

export async function countSequenced(db: Db): Promise<number> {
  const { rows } = await sql<{ sequenced: number }>`select count(*) as sequenced from ledger`.execute(db);
  return rows[0]?.sequenced ?? Number.NaN;
}

/** Everything that was lost, duplicated or reordered, in words; the first few of each kind. */
export async function findFaults(db: Db, flows: readonly KnownFlow[]): Promise<string[]> {
  return db.transaction().execute(async (db) => {
    // Statistics that are older than the load would have it look up one of all entries after the other.
    await sql`set local enable_nestloop = off`.execute(db);
    await sql`set local jit = off`.execute(db);
    await sql`set local statement_timeout = 0`.execute(db);
    const found = [
      await flowFaults(db, flows),
      await journalFaults(db),
      await ledgerFaults(db),
      await activityFaults(db),
      await deadLetters(db),
    ];
    return found.flat();
  });
}

/** The table holds the acknowledged flows, each once and as acknowledged, and no others. */
async function flowFaults(db: Db, flows: readonly KnownFlow[]): Promise<string[]> {
  const { rows } = await sql<{ name: string; expected: number | null; stored: number[] }>`
    select name, known.revision as expected, array_agg(flow.revision) as stored
    from unnest(
      ${flows.map((flow) => flow.org_id)}::uuid[], ${flows.map((flow) => flow.name)}::text[],
      ${flows.map((flow) => flow.revision)}::bigint[]
    ) as known (org_id, name, revision)
    full join flow using (org_id, name)
    group by org_id, name, known.revision
    having array_agg(flow.revision) is distinct from array[known.revision]
    limit 5`.execute(db);
  return rows.map((row) => `flow ${row.name}: acknowledged revision ${row.expected}, stored ${row.stored}`);
}

/** Each flow was created once, and its entries count 1, 2, 3 … in the order in which processors see them. */
async function journalFaults(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; entries: string[] }>`
    select flow.name, array_agg(entry.type || ' ' || entry.subject_seq order by ledger.index) as entries
    from flow left join journal as entry
      on entry.org_id = flow.org_id and entry.subject_kind = 'flow' and entry.subject_id = flow.id
    left join ledger on ledger.org_id = entry.org_id and ledger.entry_seq = entry.seq
    group by flow.org_id, flow.id
    having array_agg(entry.subject_seq order by ledger.index)
        is distinct from (select array_agg(n) from generate_series(1, flow.revision) as n)
      or count(*) filter (where entry.type = 'flow.created') <> 1
    limit 5`.execute(db);
  return rows.map((row) => `journal of ${row.name}: ${row.entries}`);
}

/** Every entry is in the ledger once. Indexes of each org count from 0, positions of each lane from 1, without gaps. */
async function ledgerFaults(db: Db): Promise<string[]> {
  const entries = await sql<{ id: string; times: number }>`
    select journal.id, count(ledger.index) as times
    from journal left join ledger on ledger.org_id = journal.org_id and ledger.entry_seq = journal.seq
    group by journal.org_id, journal.seq, journal.id having count(ledger.index) <> 1 limit 5`.execute(db);
  const orgs = await sql<{ org_id: string }>`
    select org_id from ledger full join ledger_head as head using (org_id)
    group by org_id, head.size
    having array_agg(index order by index) is distinct from array(select generate_series(0, head.size - 1)) limit 5`.execute(
    db,
  );
  const lanes = await sql<{ lane: number }>`
    select head.lane from lane_head as head left join ledger on ledger.lane = head.lane
    group by head.lane, head.position
    having coalesce(array_agg(ledger.position order by ledger.position) filter (where ledger.position is not null), '{}')
      is distinct from array(select generate_series(1, head.position)) limit 5`.execute(db);
  return [
    ...entries.rows.map(({ id, times }) => `entry ${id} is in the ledger ${times} times`),
    ...orgs.rows.map(({ org_id }) => `the ledger of org ${org_id} does not count from 0`),
    ...lanes.rows.map(({ lane }) => `lane ${lane} does not count from 1`),
  ];
}

async function activityFaults(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select flow.name from flow join journal as entry
      on entry.org_id = flow.org_id and entry.subject_kind = 'flow' and entry.subject_id = flow.id
    group by flow.org_id, flow.id
    having max(entry.recorded_at) <> flow.latest_activity_at
    limit 5`.execute(db);
  return rows.map((row) => `flow ${row.name}: its latest activity is not its latest entry`);
}

async function deadLetters(db: Db): Promise<string[]> {
  const letters = await db.selectFrom('dead_letter').select(['processor', 'error']).limit(5).execute();
  return letters.map((letter) => `dead letter of ${letter.processor}: ${letter.error}`);
}
