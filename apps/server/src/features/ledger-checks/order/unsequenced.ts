import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';

/** A transaction that has not ended, or was not sequenced yet, wrote only numbers above it. */
export const FIRST_UNSEQUENCED = sql`(
  select coalesce((select min(from_seq) - 1 from journal_gap), high_water) from sequencer
)`;

/** Those of the subjects about which there are entries that are not in the ledger yet. */
export async function listUnsequenced(db: Db, org: string, subjects: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ subject_id: string }>`
    select distinct subject_id from journal
    where org_id = ${org} and seq > ${FIRST_UNSEQUENCED} and subject_id = any(${subjects}::uuid[])`.execute(db);
  return new Set(rows.map(({ subject_id }) => subject_id));
}

interface Unplaced {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly is_placed: boolean;
}

/** A page of entries of the journal, and whether each is in the ledger. */
export async function readJournalPage(db: Db, org: string, after: number, limit: number): Promise<Unplaced[]> {
  const { rows } = await sql<Unplaced>`
    select journal.seq, journal.id, journal.type, exists (
      select from ledger where ledger.org_id = ${org} and ledger.subject_id = journal.subject_id
        and ledger.entry_seq = journal.seq) as is_placed
    from journal where journal.org_id = ${org} and seq > ${after} and seq <= ${FIRST_UNSEQUENCED}
    order by seq limit ${limit}`.execute(db);
  return rows;
}
