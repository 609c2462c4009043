import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type SettingRow = Selectable<Tables['sso_setting']>;
export type SsoIdentityRow = Selectable<Tables['sso_identity']>;

export function findSetting(db: Db, org: string): Promise<SettingRow | undefined> {
  return db
    .selectFrom('sso_setting')
    .selectAll()
    .where('org_id', '=', org)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
}

/** Waits for sign-ins in progress, so that their sessions can be revoked. */
export function lockSetting(db: Db, org: string): Promise<SettingRow | undefined> {
  return db
    .selectFrom('sso_setting')
    .selectAll()
    .where('org_id', '=', org)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** Whether a setting is still current, and stays so until the transaction ends. */
export async function keepSetting(db: Db, setting: { org_id: string; setting_id: string }): Promise<boolean> {
  const updated = await db
    .selectFrom('sso_setting')
    .select('setting_id')
    .where('org_id', '=', setting.org_id)
    .where('setting_id', '=', setting.setting_id)
    .where('removed_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return updated !== undefined;
}

type Configuration = Pick<
  Insertable<Tables['sso_setting']>,
  | 'org_id'
  | 'setting_id'
  | 'issuer'
  | 'client_id'
  | 'sealed_secret'
  | 'email_domains'
  | 'default_role'
  | 'configured_at'
  | 'configured_by'
>;

/** The counter of changes continues, also after a removal. */
export function upsertSetting(db: Db, setting: Configuration): Promise<SettingRow> {
  const { org_id, ...changed } = setting;
  return db
    .insertInto('sso_setting')
    .values({ org_id, ...changed })
    .onConflict((conflict) =>
      conflict.column('org_id').doUpdateSet((row) => ({
        ...changed,
        tested_at: null,
        tested_by: null,
        removed_at: null,
        revision: row('sso_setting.revision', '+', 1),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function removeSetting(db: Db, org: string, at: Date): Promise<SettingRow> {
  return db
    .updateTable('sso_setting')
    .set((row) => ({ removed_at: at, sealed_secret: null, revision: row('revision', '+', 1) }))
    .where('org_id', '=', org)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Counts a change outside the setting itself, and records whether its test is still valid. */
export async function countChange(
  db: Db,
  org: string,
  change: { tested_at?: null; tested_by?: null } = {},
): Promise<SettingRow> {
  return db
    .updateTable('sso_setting')
    .set((row) => ({ ...change, revision: row('revision', '+', 1) }))
    .where('org_id', '=', org)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Of this very setting; undefined when there is another one by now. */
export async function updateTested(
  db: Db,
  setting: { org_id: string; setting_id: string },
  tested: { at: Date; by: string },
): Promise<void> {
  await db
    .updateTable('sso_setting')
    .set({ tested_at: tested.at, tested_by: tested.by })
    .where('org_id', '=', setting.org_id)
    .where('setting_id', '=', setting.setting_id)
    .where('removed_at', 'is', null)
    .execute();
}

export function findIdentity(
  db: Db,
  org: string,
  identity: { issuer: string; subject: string },
): Promise<SsoIdentityRow | undefined> {
  return db
    .selectFrom('sso_identity')
    .selectAll()
    .where('org_id', '=', org)
    .where('issuer', '=', identity.issuer)
    .where('subject', '=', identity.subject)
    .executeTakeFirst();
}

export function findIdentityOfUser(
  db: Db,
  org: string,
  issuer: string,
  userId: string,
): Promise<SsoIdentityRow | undefined> {
  return db
    .selectFrom('sso_identity')
    .selectAll()
    .where('org_id', '=', org)
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

export async function insertIdentity(db: Db, identity: Insertable<Tables['sso_identity']>): Promise<void> {
  await db.insertInto('sso_identity').values(identity).execute();
}

/** Includes former members. */
export function findMembership(db: Db, org: string, userId: string) {
  return db
    .selectFrom('membership')
    .select(['role', 'removed_at'])
    .where('org_id', '=', org)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}
