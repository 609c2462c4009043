import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { suspendsAt } from './suspends-at.reads.ts';

export type KeyRow = Selectable<Tables['api_key']>;

export interface KeyOwner {
  readonly kind: 'user' | 'service_account';
  readonly id: string;
  readonly name: string;
}

/** The owner of keys, and which of them: a caller bound to an org manages only the keys for that org. */
export interface KeyHolder extends KeyOwner {
  readonly onlyOrg: string | null;
}

/** Keys that are listed and managed one by one. Those of identity providers and jobs are made elsewhere. */
export function keysOf(db: Db, org: string, holder: KeyHolder) {
  const keys = db
    .selectFrom('api_key')
    .where('api_key.purpose', '=', 'api')
    .where('api_key.workload', 'is', null)
    .where('api_key.revoked_at', 'is', null);
  if (holder.kind === 'service_account') {
    return keys.where('api_key.org_id', '=', org).where('api_key.service_account_id', '=', holder.id);
  }
  const own = keys.where('api_key.user_id', '=', holder.id);
  return holder.onlyOrg === null ? own : own.where('api_key.only_org_id', '=', holder.onlyOrg);
}

/** How many of an owner's keys are neither revoked nor expired. */
export async function countGoodKeys(db: Db, org: string, owner: KeyOwner, now: Date): Promise<number> {
  const { count } = await keysOf(db, org, { ...owner, onlyOrg: null })
    .select((key) => key.fn.countAll<number>().as('count'))
    .where((key) => key.or([key('api_key.expires_at', 'is', null), key('api_key.expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function findKey(db: Db, org: string, holder: KeyHolder, id: string): Promise<KeyRow | undefined> {
  return keysOf(db, org, holder).selectAll('api_key').where('api_key.id', '=', id).executeTakeFirst();
}

/** Whether it will be suspended, because the person who made it has left. */
export async function isAboutToEnd(db: Db, org: string, id: string): Promise<boolean> {
  const key = await db
    .selectFrom('api_key')
    .select(suspendsAt('api_key').as('suspends_at'))
    .where('org_id', '=', org)
    .where('id', '=', id)
    .executeTakeFirst();
  return key !== undefined && key.suspends_at !== null;
}

export async function insertKey(db: Db, key: Insertable<Tables['api_key']>): Promise<void> {
  await db.insertInto('api_key').values(key).execute();
}

/** Returns the key's counter after the change. */
export async function updateKey(db: Db, id: string, change: Updateable<Tables['api_key']>): Promise<number> {
  const { revision } = await db
    .updateTable('api_key')
    .set((key) => ({ ...change, revision: key('revision', '+', 1) }))
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow();
  return revision;
}

/** All valid keys, those for jobs included. Returns how many. */
export async function revokeKeysOfAccount(db: Db, org: string, account: string, at: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set((key) => ({ revoked_at: at, revision: key('revision', '+', 1) }))
    .where('org_id', '=', org)
    .where('service_account_id', '=', account)
    .where('revoked_at', 'is', null)
    .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', at)]))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The key that a rotation made to replace another, even if it was revoked since. */
export function findSuccessor(db: Db, id: string): Promise<KeyRow | undefined> {
  return db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst();
}
