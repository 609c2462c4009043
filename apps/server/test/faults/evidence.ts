import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '../../src/platform/db/db.ts';
import type { KnownFlow } from './load.ts';

/** How many entries some processor has not processed yet. */
export async function countUnprocessed(db: Db): Promise<number> {
  const { rows } = await sql<{ behind: number }>`
    select (select count(*) from journal) - (select count(*) from feed_event) + (
      select count(*) from processor_position as position
      join journal on journal.lane = position.lane and (journal.xid, journal.seq) > (position.xid, position.seq)
    ) as behind`.execute(db);
  return rows[0]?.behind ?? Number.NaN;
}

export async function untilProcessed(db: Db): Promise<void> {
  await expect.poll(() => countUnprocessed(db), { timeout: 90_000, interval: 100 }).toBe(0);
}

export async function countEntries(db: Db): Promise<number> {
  const { rows } = await sql<{ entries: number }>`select count(*) as entries from journal`.execute(db);
  return rows[0]?.entries ?? Number.NaN;
}

export async function countFed(db: Db): Promise<number> {
  const { rows } = await sql<{ fed: number }>`select count(*) as fed from feed_event`.execute(db);
  return rows[0]?.fed ?? Number.NaN;
}

/** Everything that was lost, duplicated or reordered, in words; the first few of each kind. */
export async function findFaults(db: Db, flows: readonly KnownFlow[]): Promise<string[]> {
  const found = [
    await flowFaults(db, flows),
    await journalFaults(db),
    await feedFaults(db),
    await activityFaults(db),
    await deadLetters(db),
  ];
  return found.flat();
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
    select flow.name, array_agg(entry.type || ' ' || entry.subject_seq order by entry.xid, entry.seq) as entries
    from flow left join journal as entry
      on entry.org_id = flow.org_id and entry.subject_kind = 'flow' and entry.subject_id = flow.id
    group by flow.org_id, flow.id
    having array_agg(entry.subject_seq order by entry.xid, entry.seq)
        is distinct from (select array_agg(n) from generate_series(1, flow.revision) as n)
      or count(*) filter (where entry.type = 'flow.created') <> 1
    limit 5`.execute(db);
  return rows.map((row) => `journal of ${row.name}: ${row.entries}`);
}

/** Each org's feed numbers its entries from 1 in the order of the journal: none missing, none twice. */
async function feedFaults(db: Db): Promise<string[]> {
  const { rows } = await sql<{ entry_id: string; expected: number | null; position: number | null }>`
    with expected as (
      select org_id, id as entry_id, row_number() over (partition by org_id order by xid, seq) as place from journal
    )
    select entry_id, place as expected, position
    from expected full join feed_event using (org_id, entry_id)
    where place is distinct from position
    limit 5`.execute(db);
  return rows.map((row) => `feed entry ${row.entry_id}: expected at ${row.expected}, is at ${row.position}`);
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
