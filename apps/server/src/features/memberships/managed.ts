import type { Ctx } from '../../platform/ctx.ts';
import { conflict } from '../../platform/errors.ts';
import { isManagedByScim, isUserManagedByScim } from '../scim/scim.reads.ts';

/**
 * Whether the org's identity provider looks after its members, by SCIM; with a user, whether it looks after this one.
 * What it looks after is changed there and nowhere else.
 */
async function isManaged({ db, org }: Ctx, userId: string | null): Promise<boolean> {
  return userId === null ? isManagedByScim(db, org) : isUserManagedByScim(db, org, userId);
}

export async function requireUnmanaged(ctx: Ctx, userId: string | null): Promise<void> {
  if (await isManaged(ctx, userId)) {
    throw conflict('The members of this org come from its identity provider by SCIM: change them there');
  }
}
