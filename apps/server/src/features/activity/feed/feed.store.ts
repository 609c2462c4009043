import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';

/** An entry of an org with its place in the order. */
export interface FeedRow {
  readonly index: number;
  readonly entry_id: string;
  readonly type: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly actor_name: string;
  readonly recorded_at: Date;
}

export async function listFeedAfter(db: Db, org: string, index: number, limit: number): Promise<FeedRow[]> {
  const { rows } = await sql<FeedRow>`
    select ledger.index, journal.id as entry_id, journal.type, journal.subject_kind, journal.subject_id,
      journal.actor_name, journal.recorded_at
    from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    where ledger.org_id = ${org} and ledger.index > ${index}
    order by ledger.index limit ${limit}`.execute(db);
  return rows;
}

/** The end of an org's feed. */
export interface FeedHead {
  /** Of the last entry; -1 while there is none. */
  readonly index: number;
  /** An index of another life of the database may be that of another entry. */
  readonly life: number;
}

export async function findFeedHead(db: Db, org: string): Promise<FeedHead> {
  const { rows } = await sql<FeedHead>`
    select coalesce((select size from ledger_head where org_id = ${org}), 0) - 1 as index, life
    from sequencer`.execute(db);
  const [head] = rows;
  if (!head) throw new Error('the table sequencer has no row');
  return head;
}
