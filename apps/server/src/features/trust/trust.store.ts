import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type TrustedKeyRow = Selectable<Tables['trusted_key']>;
export type TrustedIdentityRow = Selectable<Tables['trusted_identity']>;

/** Serializes changes to an org's trust, so that its limit holds and a name is taken once. */
export function lockTrust(db: Db, org: string): Promise<void> {
  return lockSubject(db, org, 'trust', '');
}

export function listKeys(db: Db, org: string): Promise<TrustedKeyRow[]> {
  return db
    .selectFrom('trusted_key')
    .selectAll()
    .where('org_id', '=', org)
    .where('removed_at', 'is', null)
    .orderBy('name')
    .execute();
}

export function insertKey(db: Db, key: Insertable<Tables['trusted_key']>): Promise<TrustedKeyRow> {
  return db.insertInto('trusted_key').values(key).returningAll().executeTakeFirstOrThrow();
}

/** Returns the row, if this call removed it. */
export function removeKey(db: Db, org: string, id: string, at: Date): Promise<TrustedKeyRow | undefined> {
  return db
    .updateTable('trusted_key')
    .set({ removed_at: at })
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

export function listIdentities(db: Db, org: string): Promise<TrustedIdentityRow[]> {
  return db
    .selectFrom('trusted_identity')
    .selectAll()
    .where('org_id', '=', org)
    .where('removed_at', 'is', null)
    .orderBy('name')
    .execute();
}

export async function insertRoot(db: Db, root: Insertable<Tables['trusted_root']>): Promise<void> {
  await db
    .insertInto('trusted_root')
    .values(root)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function insertIdentity(db: Db, identity: Insertable<Tables['trusted_identity']>): Promise<TrustedIdentityRow> {
  return db.insertInto('trusted_identity').values(identity).returningAll().executeTakeFirstOrThrow();
}

/** Returns the row, if this call removed it. */
export function removeIdentity(db: Db, org: string, id: string, at: Date): Promise<TrustedIdentityRow | undefined> {
  return db
    .updateTable('trusted_identity')
    .set({ removed_at: at })
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}
