import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { LookCause } from './look-again.ts';
import { EVERYTHING } from './recheck.store.ts';

/**
 * Asks for another look at all that runs in some environments. Whoever looks next, after the end of this transaction,
 * sees what it changed.
 */
export async function askForLook(
  db: Db,
  org: string,
  environmentIds: readonly string[],
  cause: LookCause,
): Promise<void> {
  if (environmentIds.length === 0) return;
  await sql`
    insert into environment_recheck (org_id, environment_id, fingerprint, cause, requested_at)
    select ${org}, id, ${EVERYTHING}, ${cause}, now() from unnest(${environmentIds}::uuid[]) as id order by id
    on conflict do nothing`.execute(db);
}
