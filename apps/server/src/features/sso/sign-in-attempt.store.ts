import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type AttemptRow = Selectable<Tables['sign_in_attempt']>;

export async function insertAttempt(db: Db, attempt: Insertable<Tables['sign_in_attempt']>): Promise<void> {
  await db.insertInto('sign_in_attempt').values(attempt).execute();
}

/** Takes the attempt, if it belongs to this browser and org; each can be taken once. */
export function takeAttempt(
  db: Db,
  sent: { stateHash: Buffer; browserHash: Buffer; org: string },
  now: Date,
): Promise<AttemptRow | undefined> {
  return db
    .deleteFrom('sign_in_attempt')
    .where('state_hash', '=', sent.stateHash)
    .where('browser_hash', '=', sent.browserHash)
    .where('org_id', '=', sent.org)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}
