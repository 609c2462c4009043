import { sql } from 'kysely';
import type { Db } from '../../src/platform/db/db.ts';

/** How many statements wait for a lock, in this database. */
export async function countHeldUp(db: Db): Promise<number> {
  const { rows } = await sql<{ held: number }>`
    select count(*) as held from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.held ?? 0;
}
