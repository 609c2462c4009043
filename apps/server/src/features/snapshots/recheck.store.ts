import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';

export interface Recheck {
  readonly org_id: string;
  readonly environment_id: string;
}

/**
 * Takes some that wait, of all orgs, for so many seconds: they come up again when that was not enough, be it because
 * the worker died or because they fail. Workers take different ones.
 */
export async function claimRechecks(db: Db, limit: number, seconds: number): Promise<Recheck[]> {
  const { rows } = await sql<Recheck>`
    with due as materialized (
      select org_id, environment_id from environment_recheck
      where requested_at <= now() order by requested_at limit ${limit} for update skip locked
    )
    update environment_recheck as waiting set requested_at = now() + make_interval(secs => ${seconds}) from due
    where waiting.org_id = due.org_id and waiting.environment_id = due.environment_id
    returning waiting.org_id, waiting.environment_id`.execute(db);
  return rows;
}

/**
 * Comes before the look. Whoever asks for one from now on waits for the end of the transaction and then asks anew; what
 * was asked for before can be seen by now.
 */
export async function deleteRecheck(db: Db, { org_id, environment_id }: Recheck): Promise<boolean> {
  const deleted = await db
    .deleteFrom('environment_recheck')
    .where('org_id', '=', org_id)
    .where('environment_id', '=', environment_id)
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}
