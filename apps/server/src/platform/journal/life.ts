import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import type { Logger } from '../log.ts';

/**
 * The cluster and the history of it that a connection leads to. A restore into another cluster changes the first, a
 * point-in-time restore and a promoted replica the second.
 */
const HERE = sql<string>`(select system_identifier::text from pg_control_system())`;
const TIMELINE = sql<number>`('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer`;

/** Whether this connection leads where the sequencer last was, or it has never been anywhere. */
export async function isKnownLife(db: Db): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select system_identifier in ('', ${HERE}) and timeline in (0, ${TIMELINE}) as known from sequencer`.execute(db);
  return rows[0]?.known === true;
}

async function isRecordedLife(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from sequencer where system_identifier = ${HERE} and timeline = ${TIMELINE}`.execute(db);
  return rows.length > 0;
}

/**
 * Begins a new life of the database if it is in another cluster or on another timeline than before. Numbers and
 * receipts go on above all that were given, and every gap is looked at once more: the transactions that could fill it ended with the old
 * cluster. Writers wait until this is recorded.
 */
export async function recordLife(db: Db, log: Logger): Promise<void> {
  const life = await db.transaction().execute(async (db) => {
    await sql`select from sequencer for update`.execute(db);
    if (await isRecordedLife(db)) return undefined;
    await sql`select advance_entry_seq(), advance_receipt()`.execute(db);
    await sql`update journal_gap set noticed = '0'`.execute(db);
    const { rows } = await sql<{ life: number }>`
      update sequencer set pass = pass + 1, life = life + 1, system_identifier = ${HERE}, timeline = ${TIMELINE}
      returning life`.execute(db);
    return rows[0]?.life;
  });
  if (life !== undefined) log.info({ life }, 'the database is in a new cluster or on a new timeline');
}
