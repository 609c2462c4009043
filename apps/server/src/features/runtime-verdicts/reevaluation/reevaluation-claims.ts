import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { statement } from '../../../platform/db/statement.ts';

/** Claims those that nobody else has claimed, until the transaction ends. */
export const claimReevaluations = statement<{ org_id: string; ids: readonly string[] }, { id: string }>(
  'claim_reevaluations',
  `select id from unnest(:ids::text[]) as id
   where pg_try_advisory_xact_lock(hashtextextended('re-evaluation ' || id, uuid_hash_extended(:org_id::uuid, 0)))`,
);

/**
 * Runs `work` on the environments that no other worker is re-evaluating. The claims are locks of a transaction that
 * writes nothing, so they end with the worker, and hold up neither reports nor the journal.
 */
export async function withClaims<T>(
  db: Db,
  org: string,
  ids: readonly string[],
  work: (claimed: readonly string[]) => Promise<T>,
): Promise<T> {
  if (ids.length === 0) return work([]);
  return db.transaction().execute(async (claiming) => {
    // It is idle for as long as the work takes.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(claiming);
    const claimed = await claimReevaluations(claiming, { org_id: org, ids });
    return work(claimed.map(({ id }) => id));
  });
}
