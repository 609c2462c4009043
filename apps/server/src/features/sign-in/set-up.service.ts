import { timingSafeEqual } from 'node:crypto';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { invalid } from '../../platform/errors.ts';
import type { Redirect, Visit } from '../../platform/http/page.ts';
import { hashSecret, newSecret } from '../../platform/http/session-cookie.ts';
import { setMembership } from '../memberships/membership.service.ts';
import { createUser } from '../memberships/sign-up.service.ts';
import { createOrg } from '../orgs/org.service.ts';
import { signInVisitor } from '../users/sessions/session.service.ts';

const LINK_MS = 24 * 3_600_000;

/** Makes the token for creating the first user, replacing an earlier one. It is stored nowhere. */
export async function makeSetUpToken(ctx: Ctx): Promise<string> {
  const token = newSecret();
  const link = { hash: hashSecret(token), expires_at: new Date(ctx.now().getTime() + LINK_MS) };
  await inTransaction(ctx, async (ctx) => {
    if (await hasUsers(ctx.db)) {
      throw invalid('This installation already has users: create more with "waymark-server user create"');
    }
    await ctx.db
      .insertInto('set_up_link')
      .values(link)
      .onConflict((conflict) => conflict.column('one').doUpdateSet(link))
      .execute();
  });
  return token;
}

export async function isGoodSetUpToken(ctx: Ctx, token: string): Promise<boolean> {
  const link = await ctx.db.selectFrom('set_up_link').selectAll().executeTakeFirst();
  if (!link || link.expires_at <= ctx.now() || !timingSafeEqual(link.hash, hashSecret(token))) return false;
  return !(await hasUsers(ctx.db));
}

export interface FirstUser {
  readonly orgName: string;
  readonly login: string;
  readonly email: string;
  readonly displayName: string | null;
}

/**
 * Creates the first user and an org with them as admin, and signs them in. Returns an error when the link is invalid.
 */
export async function setUp(visit: Visit, token: string, first: FirstUser): Promise<Redirect | 'no_good'> {
  return inTransaction(visit.ctx, async (ctx) => {
    // When two requests come at once with the same link, the second finds it gone.
    await ctx.db.selectFrom('set_up_link').select('one').forUpdate().executeTakeFirst();
    if (!(await isGoodSetUpToken(ctx, token))) return 'no_good';
    await ctx.db.deleteFrom('set_up_link').execute();
    const user = await createUser(ctx, first);
    const org = await createOrg(ctx, { name: first.orgName, kind: 'shared' });
    await setMembership({ ...ctx, org }, user, 'admin', 'script');
    return signInVisitor({ ...visit, ctx }, { user, method: 'set_up', onlyOrg: null }, null);
  });
}

async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('user_account').select('id').limit(1).executeTakeFirst()) !== undefined;
}
