import { timingSafeEqual } from 'node:crypto';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { invalid, Problem } from '../../platform/errors.ts';
import { localPath, type Redirect, type Visit } from '../../platform/http/page.ts';
import { hashSecret, newSecret } from '../../platform/http/session-cookie.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { signUp } from '../memberships/sign-up.service.ts';
import { signInVisitor } from '../users/sessions/session.service.ts';
import { findUserByEmail } from '../users/user.reads.ts';
import * as store from './sign-in.store.ts';

export const LINK_MAIL = 'sign-in';
export const LINK_MS = 10 * 60_000;

/** Requests a link. The response is the same whether or not the account exists: the worker finds out. */
export async function askForLink(
  ctx: Ctx,
  asked: { readonly email: string; readonly browserSecret: string; readonly next: string | null },
): Promise<void> {
  const id = ctx.newId();
  const now = ctx.now();
  await inTransaction(ctx, async (ctx) => {
    await store.insertLink(ctx.db, {
      id,
      email: asked.email.toLowerCase(),
      browser_hash: hashSecret(asked.browserSecret),
      next: localPath(asked.next, '/'),
      created_at: now,
      expires_at: new Date(now.getTime() + LINK_MS),
    });
    await enqueueMail(ctx.db, { kind: LINK_MAIL, subjectId: id, orgId: null, now });
  });
}

/**
 * Makes a link for somebody whom an operator knows, in place of the mail, and returns its token. It works in any
 * browser: nobody asked for it in one.
 */
export async function makeLink(
  ctx: Ctx,
  user: { readonly login: string; readonly email: string | null },
): Promise<string> {
  if (user.email === null) {
    throw invalid(`User '${user.login}' has no address: set one with "waymark-server user set-email"`);
  }
  const token = newSecret();
  const now = ctx.now();
  await store.insertLink(ctx.db, {
    id: ctx.newId(),
    email: user.email.toLowerCase(),
    browser_hash: null,
    next: '/',
    hashes: [hashSecret(token)],
    created_at: now,
    expires_at: new Date(now.getTime() + LINK_MS),
  });
  return token;
}

export type LinkState = 'good' | 'unknown' | 'used' | 'expired' | 'other_browser';

/**
 * Whether a link would work in this browser, and for whom. Opening it does not use it up: mail scanners open links,
 * too.
 */
export async function readLink(
  { ctx, browserSecret }: Visit,
  token: string,
): Promise<{ readonly state: LinkState; readonly email: string }> {
  const link = await store.findLinkByHash(ctx.db, hashSecret(token));
  return { state: stateOf(link, browserSecret, ctx.now()), email: link?.email ?? '' };
}

function stateOf(link: store.LinkRow | undefined, browserSecret: string, now: Date): LinkState {
  if (!link) return 'unknown';
  if (link.used_at) return 'used';
  if (link.expires_at <= now) return 'expired';
  const isHere = link.browser_hash === null || timingSafeEqual(link.browser_hash, hashSecret(browserSecret));
  return isHere ? 'good' : 'other_browser';
}

/**
 * Signs the visitor in as the person whom the link was sent to. An unknown address is signed up where sign-up is open
 * to all. When anything fails, the link stays valid.
 */
export async function useLink(
  visit: Visit,
  token: string,
  signUpIs: 'open' | 'invited',
): Promise<Redirect | Exclude<LinkState, 'good'>> {
  return againIfTaken(() =>
    inTransaction(visit.ctx, async (ctx) => {
      const link = await store.lockLinkByHash(ctx.db, hashSecret(token));
      const state = stateOf(link, visit.browserSecret, ctx.now());
      if (!link || state !== 'good') return state === 'good' ? 'unknown' : state;
      const user = await userOf(ctx, link.email, signUpIs);
      if (!user) return 'unknown';
      await store.markUsed(ctx.db, link.id, ctx.now());
      return signInVisitor({ ...visit, ctx }, { user, method: 'link', onlyOrg: null }, link.next);
    }),
  );
}

async function userOf(ctx: Ctx, email: string, signUpIs: 'open' | 'invited') {
  const known = await findUserByEmail(ctx.db, email);
  if (known || signUpIs === 'invited') return known;
  // Whoever is still signed in here is not the person who signs up.
  const actor = { kind: 'system', id: null, name: 'sign-in' } as const;
  return signUp({ ...ctx, actor, credential: null, org: '' }, { email, displayName: null });
}

/**
 * Two concurrent sign-ups may want the same name, or be the same person twice: the second search finds the first one's.
 */
async function againIfTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid') throw error;
    return work();
  }
}
