import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { BROWSER_COOKIE, localPath, type Redirect, type Visit } from '../../platform/http/page.ts';
import {
  cookie,
  hashSecret,
  newSecret,
  SESSION_COOKIE,
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
} from '../../platform/http/session-cookie.ts';
import { emit } from '../../platform/journal/journal.ts';
import { sessionOpened, sessionRevoked } from './session.entries.ts';

export interface NewSession {
  readonly user: { readonly id: string; readonly login: string; readonly personalOrg: string };
  readonly method: 'link' | 'sso' | 'set_up';
  /** The org whose identity provider vouches for the user; the session is good there alone. */
  readonly onlyOrg: string | null;
  readonly address: string;
  readonly userAgent: string;
}

/** Signs a user in and returns the value of their cookie, which is stored nowhere. */
export async function openSession(ctx: Ctx, session: NewSession): Promise<{ id: string; secret: string }> {
  const { user, method, onlyOrg } = session;
  const secret = newSecret();
  return inTransaction(ctx, async (ctx) => {
    const id = ctx.newId();
    await ctx.db
      .insertInto('session')
      .values({
        id,
        hash: hashSecret(secret),
        user_id: user.id,
        only_org_id: onlyOrg,
        method,
        address: session.address,
        user_agent: session.userAgent.slice(0, 512),
        created_at: ctx.now(),
        last_seen_at: ctx.now(),
      })
      .execute();
    const actor = { kind: 'user', id: user.id, name: user.login, role: 'admin' } as const;
    const inOrg = { ...ctx, actor, org: onlyOrg ?? user.personalOrg };
    await emit(inOrg, sessionOpened, { kind: 'session', id, seq: 1 }, { user_id: user.id, method, only_org: onlyOrg });
    return { id, secret };
  });
}

/**
 * Signs the visitor in and leads them on. The cookie's value is always new, whatever the browser sent, so that nobody
 * can plant a session in advance; the one they had before ends.
 */
export async function signInVisitor(
  visit: Visit,
  session: Pick<NewSession, 'user' | 'method' | 'onlyOrg'>,
  next: string | null,
): Promise<Redirect> {
  const { address, userAgent } = visit;
  const { secret } = await inTransaction(visit.ctx, async (ctx) => {
    if (visit.person) await revokeSession({ ...visit.ctx, db: ctx.db }, visit.person.credential_id);
    return openSession(ctx, { ...session, address, userAgent });
  });
  const setCookies = [cookie(SESSION_COOKIE, secret, SESSION_MAX_MS / 1000), cookie(BROWSER_COOKIE, newSecret())];
  return { to: localPath(next, '/account'), setCookies };
}

/** Ends all sessions of a user, on the operator's word, and says how many there were. */
export async function endSessionsOf(ctx: Ctx, user: { id: string; personalOrg: string }): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const ended = await ctx.db
      .updateTable('session')
      .set({ revoked_at: ctx.now() })
      .where('user_id', '=', user.id)
      .where('revoked_at', 'is', null)
      .returning(['id', 'method', 'only_org_id'])
      .execute();
    for (const { id, method, only_org_id } of ended) {
      const payload = { user_id: user.id, method, only_org: only_org_id };
      const inOrg = { ...ctx, org: only_org_id ?? user.personalOrg };
      await emit(inOrg, sessionRevoked, { kind: 'session', id, seq: 2 }, payload);
    }
    return ended.length;
  });
}

/**
 * Ends a session of the acting user. Says whether there was one to end. Who comes through the identity provider of an
 * org can end those that came the same way, and no others.
 */
export async function revokeSession(ctx: Ctx, id: string): Promise<boolean> {
  const onlyOrg = ctx.credential?.onlyOrg ?? null;
  return inTransaction(ctx, async (ctx) => {
    const ended = await ctx.db
      .updateTable('session')
      .set({ revoked_at: ctx.now() })
      .where('id', '=', id)
      .where('user_id', '=', ctx.actor.id)
      .where('revoked_at', 'is', null)
      .where('last_seen_at', '>', new Date(ctx.now().getTime() - SESSION_IDLE_MS))
      .where('created_at', '>', new Date(ctx.now().getTime() - SESSION_MAX_MS))
      .$if(onlyOrg !== null, (query) => query.where('only_org_id', '=', onlyOrg))
      .returning(['user_id', 'method', 'only_org_id'])
      .executeTakeFirst();
    if (!ended) return false;
    const payload = { user_id: ended.user_id, method: ended.method, only_org: ended.only_org_id };
    const inOrg = { ...ctx, org: ended.only_org_id ?? ctx.org };
    await emit(inOrg, sessionRevoked, { kind: 'session', id, seq: 2 }, payload);
    return true;
  });
}
