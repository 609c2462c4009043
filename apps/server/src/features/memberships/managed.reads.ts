import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { conflict } from '../../platform/errors.ts';

/**
 * Refuses to change members that the org's identity provider manages through SCIM; with a user, only if it manages that
 * one. They can only be changed there.
 */
export async function requireUnmanaged({ db, org }: Ctx, userId: string | null): Promise<void> {
  const isManaged = userId === null ? await isManagedByScim(db, org) : await isUserManagedByScim(db, org, userId);
  if (isManaged) throw conflict('The identity provider of this org manages its members by SCIM. Change them there');
}

/** Returns whether the identity provider of an org manages its members. */
export async function isManagedByScim(db: Db, org: string): Promise<boolean> {
  const setup = await db
    .selectFrom('scim_setup')
    .select('org_id')
    .where('org_id', '=', org)
    .where('enabled_at', 'is not', null)
    .executeTakeFirst();
  return setup !== undefined;
}

/** Returns whether it manages this user: it does not manage earlier members whom it did not provision. */
async function isUserManagedByScim(db: Db, org: string, userId: string): Promise<boolean> {
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
