import type { Db } from './db.ts';
import { statement } from './statement.ts';

const lock = statement<{ org_id: string; subject: string }, never>(
  'lock_subject',
  `select from pg_advisory_xact_lock(hashtextextended(:subject::text, uuid_hash_extended(:org_id::uuid, 0)))`,
);

/**
 * Makes changes of one subject wait for each other before any of them draws a transaction id, so that the journal has
 * them in order. A lock on the row is not enough: a transaction that finds the row changed draws its id and then waits
 * again for the next version, behind transactions with higher ids.
 */
export async function lockSubject(db: Db, org: string, kind: string, key: string): Promise<void> {
  await lock(db, { org_id: org, subject: `${kind} ${key}` });
}
