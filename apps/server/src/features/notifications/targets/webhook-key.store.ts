import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Tables } from '../../../platform/db/tables.ts';

export type WebhookKeyRow = Selectable<Tables['webhook_key']>;

export function findKey(db: Db, org: string): Promise<WebhookKeyRow | undefined> {
  return db.selectFrom('webhook_key').selectAll().where('org_id', '=', org).executeTakeFirst();
}

/** Does nothing when another request was faster. */
export async function insertKey(db: Db, key: Insertable<Tables['webhook_key']>): Promise<void> {
  await db
    .insertInto('webhook_key')
    .values(key)
    .onConflict((conflict) => conflict.column('org_id').doNothing())
    .execute();
}
