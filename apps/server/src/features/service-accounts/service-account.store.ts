import type { ExpressionBuilder, Insertable, Selectable, Updateable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';

export interface ServiceAccountRow extends Selectable<Tables['service_account']> {
  /** Login of the person who made it. */
  readonly maker: string | null;
  readonly suspended_keys: number;
}

export function makerOf(account: ExpressionBuilder<Tables, 'service_account'>) {
  return account
    .selectFrom('user_account')
    .select('login')
    .whereRef('user_account.id', '=', 'service_account.made_by')
    .as('maker');
}

/** How many of its keys are suspended, without revoked ones and those of jobs. */
export function suspendedKeysOf(account: ExpressionBuilder<Tables, 'service_account'>) {
  return account
    .selectFrom('api_key')
    .select((key) => key.fn.countAll<number>().as('count'))
    .whereRef('api_key.org_id', '=', 'service_account.org_id')
    .whereRef('api_key.service_account_id', '=', 'service_account.id')
    .where('api_key.suspended_at', 'is not', null)
    .where('api_key.revoked_at', 'is', null)
    .where('api_key.workload', 'is', null)
    .$asScalar()
    .$notNull()
    .as('suspended_keys');
}

/** Serializes changes of the account with that name, and of its keys. */
export function lockName(db: Db, org: string, name: string): Promise<void> {
  return lockSubject(db, org, 'service_account', name);
}

export function findAccount(db: Db, org: string, name: string): Promise<ServiceAccountRow | undefined> {
  return db
    .selectFrom('service_account')
    .selectAll()
    .select((account) => [makerOf(account), suspendedKeysOf(account)])
    .where('org_id', '=', org)
    .where('name', '=', name)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
}

export function insertAccount(db: Db, account: Insertable<Tables['service_account']>): Promise<ServiceAccountRow> {
  return db
    .insertInto('service_account')
    .values(account)
    .returningAll()
    .returning((account) => [makerOf(account), suspendedKeysOf(account)])
    .executeTakeFirstOrThrow();
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
    .returning((account) => [makerOf(account), suspendedKeysOf(account)])
    .executeTakeFirstOrThrow();
}
