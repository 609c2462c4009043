import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { notFound } from '../errors.ts';
import type { Entry, Processor } from './processor.ts';

export interface DeadLetter {
  readonly org_id: string;
  readonly processor: string;
  readonly seq: number;
  readonly recorded_at: Date;
  readonly type: string;
  readonly error: string;
  readonly failed_at: Date;
}

/** Dead letters still to be replayed, oldest first, over all orgs: for the operator. */
export async function listDeadLetters(db: Db, limit: number, processor?: string): Promise<DeadLetter[]> {
  const { rows } = await sql<DeadLetter>`
    select org_id, processor, seq, recorded_at, type, error, failed_at from dead_letter
    where replayed_at is null and processor = coalesce(${processor ?? null}, processor) order by failed_at, seq limit ${limit}`.execute(
    db,
  );
  return rows;
}

/**
 * Gives the entry to its processor once more. Processors decide from the current state, so a late replay does no harm.
 * The lock makes a second operator wait; `gone` means that the letter was replayed meanwhile.
 */
export async function replayDeadLetter(db: Db, letter: DeadLetter, processor: Processor): Promise<'replayed' | 'gone'> {
  return db.transaction().execute(async (db) => {
    if (!(await lockWaitingLetter(db, letter))) return 'gone';
    const { rows } = await sql<Entry>`
      select org_id, seq, id, recorded_at, type, subject_kind, subject_id, actor_name from journal
      where org_id = ${letter.org_id} and seq = ${letter.seq}`.execute(db);
    if (rows.length === 0) throw notFound('Journal entry', `seq ${letter.seq}`);
    await processor.apply(db, rows);
    await sql`
      update dead_letter set replayed_at = now()
      where org_id = ${letter.org_id} and processor = ${letter.processor} and seq = ${letter.seq}`.execute(db);
    return 'replayed';
  });
}

async function lockWaitingLetter(db: Db, letter: DeadLetter): Promise<boolean> {
  const { rows } = await sql`
    select from dead_letter
    where org_id = ${letter.org_id} and processor = ${letter.processor} and seq = ${letter.seq} and replayed_at is null
    for update`.execute(db);
  return rows.length > 0;
}
