import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';

/** Locks in one order for all callers, so that they cannot deadlock. */
const lockAll = statement<{ org_id: string; ids: readonly string[] }, never>(
  'lock_environments',
  `select pg_advisory_xact_lock(hashtextextended('environment ' || id, uuid_hash_extended(:org_id::uuid, 0)))::text as done
   from (select id from unnest(:ids::text[]) as id order by id offset 0) as environment`,
);

/** Locks these environments until the transaction ends. */
export async function lockEnvironments(db: Db, org: string, ids: readonly string[]): Promise<void> {
  await lockAll(db, { org_id: org, ids });
}

const tryLockAll = statement<{ org_id: string; ids: readonly string[] }, { id: string }>(
  'try_lock_environments',
  `select id from unnest(:ids::text[]) as id
   where pg_try_advisory_xact_lock(hashtextextended('environment ' || id, uuid_hash_extended(:org_id::uuid, 0)))`,
);

/**
 * Returns those that nobody is changing now, without waiting for the others. In a transaction they stay locked until it
 * ends.
 */
export async function tryLockEnvironments(db: Db, org: string, ids: readonly string[]): Promise<string[]> {
  const locked = await tryLockAll(db, { org_id: org, ids });
  return locked.map(({ id }) => id);
}
