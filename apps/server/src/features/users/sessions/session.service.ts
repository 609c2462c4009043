import type { Selectable } from 'kysely';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import type { Tables } from '../../../platform/db/tables.ts';
import { BROWSER_COOKIE, localPath, type Redirect, type Visit } from '../../../platform/http/page.ts';
import {
  cookie,
  hashSecret,
  newSecret,
  SESSION_COOKIE,
  SESSION_MAX_MS,
  sessionBounds,
} from '../../../platform/http/session-cookie.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { sessionOpened, sessionRevoked } from './session.entries.ts';

export interface NewSession {
  readonly user: { readonly id: string; readonly login: string; readonly personalOrg: string };
  readonly method: 'link' | 'sso' | 'set_up';
  /** The org whose identity provider authenticated the user; the session is valid there only. */
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
 * Signs the visitor in and redirects them. The cookie's value is always new, whatever the browser sent, so that nobody
 * can plant a session in advance; the previous session ends.
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
  return { to: localPath(next, '/'), setCookies };
}

/** Ends all sessions of a user for the operator, and returns how many there were. */
export async function endSessionsOf(ctx: Ctx, user: { id: string; personalOrg: string }): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const ended = await ctx.db
      .updateTable('session')
      .set({ revoked_at: ctx.now() })
      .where('user_id', '=', user.id)
      .where('revoked_at', 'is', null)
      .returning(['id', 'user_id', 'method', 'only_org_id'])
      .execute();
    for (const session of ended) await recordEnd({ ...ctx, org: user.personalOrg }, session);
    return ended.length;
  });
}

/**
 * Ends a session of the acting user, and returns whether there was one. Someone who came through the identity provider
 * of an org can end only sessions that came the same way.
 */
export async function revokeSession(ctx: Ctx, id: string): Promise<boolean> {
  const onlyOrg = ctx.credential?.onlyOrg ?? null;
  const { seenAfter, begunAfter } = sessionBounds(ctx.now());
  return inTransaction(ctx, async (ctx) => {
    const ended = await ctx.db
      .updateTable('session')
      .set({ revoked_at: ctx.now() })
      .where('id', '=', id)
      .where('user_id', '=', ctx.actor.id)
      .where('revoked_at', 'is', null)
      .where('last_seen_at', '>', seenAfter)
      .where('created_at', '>', begunAfter)
      .$if(onlyOrg !== null, (query) => query.where('only_org_id', '=', onlyOrg))
      .returning(['id', 'user_id', 'method', 'only_org_id'])
      .executeTakeFirst();
    if (!ended) return false;
    await recordEnd(ctx, ended);
    return true;
  });
}

type EndedSession = Pick<Selectable<Tables['session']>, 'id' | 'user_id' | 'method' | 'only_org_id'>;

/** Recorded in the org that authenticated the user, or in the one of the context, which is their personal org. */
async function recordEnd(ctx: Ctx, { id, user_id, method, only_org_id }: EndedSession): Promise<void> {
  const payload = { user_id, method, only_org: only_org_id };
  await emit({ ...ctx, org: only_org_id ?? ctx.org }, sessionRevoked, { kind: 'session', id, seq: 2 }, payload);
}
