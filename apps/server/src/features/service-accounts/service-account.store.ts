import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type ServiceAccountRow = Selectable<Tables['service_account']>;

/** Serializes changes of the account with that name, and of its keys. */
export function lockName(db: Db, org: string, name: string): Promise<void> {
  return lockSubject(db, org, 'service_account', name);
}

export function findAccount(db: Db, org: string, name: string): Promise<ServiceAccountRow | undefined> {
  return db
    .selectFrom('service_account')
    .selectAll()
    .where('org_id', '=', org)
    .where('name', '=', name)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
}

export function insertAccount(db: Db, account: Insertable<Tables['service_account']>): Promise<ServiceAccountRow> {
  return db.insertInto('service_account').values(account).returningAll().executeTakeFirstOrThrow();
}

export function updateAccount(
  db: Db,
  account: ServiceAccountRow,
  change: Updateable<Tables['service_account']>,
): Promise<ServiceAccountRow> {
  return db
    .updateTable('service_account')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('org_id', '=', account.org_id)
    .where('id', '=', account.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
