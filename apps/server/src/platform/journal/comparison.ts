import { sql } from 'kysely';
import type { Db } from '../db/db.ts';

const WINDOW = 65_536;

/**
 * Compares the next window of numbers that has no gap left with the ledger, and returns how many entries were missing
 * from it. Their numbers become gaps that the next pass reads. It turns a fault that nobody thought of from loss into
 * lateness.
 */
export async function compareNextWindow(db: Db): Promise<number> {
  return db.transaction().execute(async (db) => {
    const { rows } = await sql<{ from: number; to: number }>`
      select compared_to as from, least(compared_to + ${WINDOW}, high_water) as to from sequencer
      where high_water > compared_to
        and not exists (select from journal_gap where from_seq <= least(compared_to + ${WINDOW}, high_water))
      for update`.execute(db);
    const [window] = rows;
    if (!window) return 0;
    const missing = await findMissing(db, window);
    for (const seq of missing) {
      await sql`
        insert into journal_gap (from_seq, to_seq, noticed, noticed_at) values (${seq}, ${seq}, '3', now())
        on conflict do nothing`.execute(db);
    }
    await sql`
      update sequencer set found_late = found_late + ${missing.length},
        compared_to = ${missing.length > 0 ? sql`compared_to` : window.to}`.execute(db);
    return missing.length;
  });
}

async function findMissing(db: Db, { from, to }: { from: number; to: number }): Promise<readonly number[]> {
  const { rows } = await sql<{ journal: number; ledger: number }>`
    select (select count(org_id) from journal where seq > ${from} and seq <= ${to}) as journal,
      (select count(org_id) from ledger where entry_seq > ${from} and entry_seq <= ${to}) as ledger`.execute(db);
  if (rows[0]?.journal === rows[0]?.ledger) return [];
  const missing = await sql<{ seq: number }>`
    select seq from (
      select org_id, seq from journal where seq > ${from} and seq <= ${to}
      except select org_id, entry_seq from ledger where entry_seq > ${from} and entry_seq <= ${to}
    ) as missing`.execute(db);
  return missing.rows.map(({ seq }) => seq);
}
