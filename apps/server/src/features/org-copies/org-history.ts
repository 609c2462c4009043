import { sql } from 'kysely';
import { chunksOf } from '../../platform/db/chunks.ts';
import type { Db } from '../../platform/db/db.ts';
import type { DeadLetter } from '../../platform/journal/dead-letters.ts';
import { readBatches } from './row-stream.ts';
import { listEntryColumns } from './table-columns.ts';

/** Between two looks at whether the ranges of the journal reach far enough. */
const ENTRIES_PER_RANGE_CHECK = 1_000_000;

interface History {
  readonly source: Db;
  readonly target: Db;
  /** Connections to the target outside of the transaction: ranges have to be visible to all at once. */
  readonly targetPool: Db;
  readonly org: string;
}

/**
 * Copies the entries of an org. They draw new numbers in the order of their index, so the sequencer of the target gives
 * each the index and the leaf that it had. Returns how many there are.
 */
export async function copyHistory({ source, target, targetPool, org }: History): Promise<number> {
  const columns = sql.join((await listEntryColumns(source)).map((name) => sql.ref(name)));
  const letters = await listLetters(source, org);
  const wanted = new Set(letters.map(({ entry_id }) => entry_id));
  const numbers = new Map<string, number>();
  const entries = sql`
    select journal.* from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    where ledger.org_id = ${sql.lit(org)} order by ledger.index`;
  let copied = 0;
  let last = 0;
  for await (const { json, count } of readBatches(source, entries)) {
    if (copied % ENTRIES_PER_RANGE_CHECK < count) await sql`select ensure_ranges()`.execute(targetPool);
    const { rows } = await sql<{ id: string; seq: number }>`
      insert into journal (${columns}, is_imported)
      select ${columns}, true from json_populate_recordset(null::journal, ${json}::json) with ordinality as entry
      order by ordinality returning id, seq`.execute(target);
    for (const { id, seq } of rows) {
      if (wanted.has(id)) numbers.set(id, seq);
      last = Math.max(last, seq);
    }
    copied += count;
  }
  await insertLetters(target, letters, numbers);
  await target.insertInto('org_import').values({ org_id: org, last_seq: last, imported_at: sql`now()` }).execute();
  return copied;
}

interface CopiedLetter extends DeadLetter {
  readonly entry_id: string;
  readonly replayed_at: Date | null;
}

async function listLetters(db: Db, org: string): Promise<CopiedLetter[]> {
  const { rows } = await sql<CopiedLetter>`
    select letter.*, journal.id as entry_id from dead_letter as letter
    join journal on journal.org_id = letter.org_id and journal.seq = letter.seq
    where letter.org_id = ${org}`.execute(db);
  return rows;
}

async function insertLetters(db: Db, letters: readonly CopiedLetter[], numbers: ReadonlyMap<string, number>) {
  const numbered = letters.map(({ entry_id, ...letter }) => ({ ...letter, seq: numbers.get(entry_id) ?? letter.seq }));
  for (const some of chunksOf(numbered)) await db.insertInto('dead_letter').values(some).execute();
}
