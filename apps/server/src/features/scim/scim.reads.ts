import type { Db } from '../../platform/db/db.ts';

/** Whether the identity provider of an org looks after its members. */
export async function isManagedByScim(db: Db, org: string): Promise<boolean> {
  const setup = await db
    .selectFrom('scim_setup')
    .select('org_id')
    .where('org_id', '=', org)
    .where('enabled_at', 'is not', null)
    .executeTakeFirst();
  return setup !== undefined;
}

/** Whether it looks after this user: members from before, whom it did not provision, are not its own. */
export async function isUserManagedByScim(db: Db, org: string, userId: string): Promise<boolean> {
  const user = await db
    .selectFrom('scim_user')
    .innerJoin('scim_setup', 'scim_setup.org_id', 'scim_user.org_id')
    .select('scim_user.id')
    .where('scim_user.org_id', '=', org)
    .where('scim_user.user_id', '=', userId)
    .where('scim_setup.enabled_at', 'is not', null)
    .executeTakeFirst();
  return user !== undefined;
}
