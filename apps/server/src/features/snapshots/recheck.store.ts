import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { LookCause } from './look-again.ts';

/** An environment that waits for another look. */
export interface Recheck {
  readonly org_id: string;
  readonly environment_id: string;
}

/** All that runs there. */
export const EVERYTHING = '';

/** Of one environment many artifacts may wait. */
const ROWS = 10_000;

/** Some of those that wait, of all orgs, those that wait longest first. */
export async function listDue(db: Db, limit: number): Promise<Recheck[]> {
  const { rows } = await sql<Recheck>`
    select org_id, environment_id from (
      select org_id, environment_id, requested_at from environment_recheck
      where requested_at <= now() order by requested_at limit ${ROWS}
    ) as due
    group by org_id, environment_id order by min(requested_at), org_id, environment_id limit ${limit}`.execute(db);
  return rows;
}

/** What cannot be looked at comes up again after so many seconds. */
export async function postponeRechecks(db: Db, org: string, environmentId: string, seconds: number): Promise<void> {
  await db
    .updateTable('environment_recheck')
    .set({ requested_at: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .where('org_id', '=', org)
    .where('environment_id', '=', environmentId)
    .execute();
}

/**
 * Comes before the look. Whoever asks for one from now on waits for the end of the transaction and then asks anew; what
 * was asked for before can be seen by now.
 */
export async function deleteRechecks(
  db: Db,
  org: string,
  environmentIds: readonly string[],
): Promise<{ environment_id: string; fingerprint: string; cause: LookCause }[]> {
  return db
    .deleteFrom('environment_recheck')
    .where('org_id', '=', org)
    .where('environment_id', 'in', environmentIds)
    .returning(['environment_id', 'fingerprint', 'cause'])
    .execute();
}
