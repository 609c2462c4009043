import { OrgName } from '@waymark/contract';
import { inTransaction } from '../../platform/ctx.ts';
import { Problem } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import {
  handlePage,
  limitAttempts,
  localPath,
  type Page,
  type Redirect,
  type Visit,
} from '../../platform/http/page.ts';
import { createRateLimiter } from '../../platform/http/rate-limit.ts';
import { findOrgByName } from '../orgs/org.reads.ts';
import { signInVisitor } from '../users/sessions/session.service.ts';
import { Refused } from './id-token.ts';
import type { AttemptRow } from './sign-in-attempt.store.ts';
import * as store from './sso.store.ts';
import { admit, findMeant } from './sso-person.service.ts';
import {
  begin,
  CHANGED,
  finish,
  isStartToken,
  type SignInParts,
  ssoCtx,
  startToken,
  takeOwnAttempt,
} from './sso-sign-in.service.ts';
import { NO_SSO, refusedPage, signInPage, testedPage } from './sso-view.ts';

const ADDRESS_SECONDS = 60;

/** Sign-in through the identity provider of an org. */
export function ssoSignInRoutes(app: App, parts: SignInParts): void {
  const { perAddress } = parts;
  const allow = createRateLimiter({ perSecond: perAddress / ADDRESS_SECONDS, burst: perAddress }, app.servers);
  const countAttempt = ({ address, ctx }: Visit, what: string) => limitAttempts(allow, `${what} ${address}`, ctx.now());

  handlePage(app, 'GET', '/sign-in/:org', async (visit) => {
    const found = await findOrgSso(visit);
    return found ? signInPage(found.org.name, found.setting.issuer, startUrl(visit, found.org.name), visit) : NO_SSO;
  });

  handlePage(app, 'GET', '/sign-in/:org/start', async (visit) => {
    const found = await findOrgSso(visit);
    if (!found) return NO_SSO;
    const { org, setting } = found;
    const next = nextOf(visit);
    if (!isStartToken(visit.query.get('from'), visit.browserSecret, org.name)) return { to: pageUrl(org.name, next) };
    countAttempt(visit, 'start');
    return orRefusedPage(visit, org.id, pageUrl(org.name, next), async () => ({
      to: await begin(visit, parts, setting, { purpose: 'sign-in', session_id: null, next }),
    }));
  });

  handlePage(app, 'GET', '/sign-in/:org/callback', async (visit) => {
    countAttempt(visit, 'callback');
    const found = await findOrgSso(visit);
    if (!found) return NO_SSO;
    const attempt = await takeOwnAttempt(visit, found.org.id);
    const { name } = found.org;
    return attempt.purpose === 'test'
      ? orRefusedPage(visit, attempt.org_id, `/organizations/${name}/sso`, () => showTest(visit, parts, attempt, name))
      : orRefusedPage(visit, attempt.org_id, pageUrl(name, attempt.next), async () => {
          const redirect = await signIn(visit, parts, attempt);
          app.onWrite();
          return redirect;
        });
  });
}

async function signIn(visit: Visit, parts: SignInParts, attempt: AttemptRow): Promise<Redirect> {
  const { setting, claims } = await finish(visit, parts, attempt);
  return againIfTaken(() =>
    inTransaction(visit.ctx, async (ctx) => {
      const user = await admit(ssoCtx({ ...visit, ctx }, attempt.org_id), setting, claims);
      const session = { user, method: 'sso', onlyOrg: attempt.org_id } as const;
      const redirect = await signInVisitor({ ...visit, ctx }, session, attempt.next);
      // Last, because the identity provider may have been slow, and admins may have removed it meanwhile.
      if (!(await store.keepSetting(ctx.db, setting))) throw new Refused(CHANGED);
      return redirect;
    }),
  );
}

/** Somebody may sign up with the same address meanwhile, in another way: the second search finds them. */
async function againIfTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem && error.fields?.['email'])) throw error;
    return work();
  }
}

/** A test counts for the admin who makes it, and only if it would let in that very person. */
async function showTest(visit: Visit, parts: SignInParts, attempt: AttemptRow, org: string): Promise<Page> {
  const { person, ctx } = visit;
  const member = person && (await store.findMembership(ctx.db, attempt.org_id, person.actor_id));
  const isSame = person?.credential_id === attempt.session_id;
  if (!person || !isSame || member?.role !== 'admin' || member.removed_at !== null) {
    throw new Refused('The admin who started this test is no longer signed in');
  }
  const { setting, claims } = await finish(visit, parts, attempt);
  const meant = await orReason(() => findMeant(ssoCtx(visit, attempt.org_id), setting, claims));
  if (typeof meant === 'string') return testedPage(org, claims, meant);
  if (meant.user?.id !== person.actor_id) {
    return testedPage(org, claims, `Your account has a different address than ${meant.email}`);
  }
  await store.updateTested(ctx.db, setting, { at: ctx.now(), by: person.actor_id });
  return testedPage(org, claims, null);
}

async function orReason<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

async function orRefusedPage(
  { ctx }: Visit,
  org: string,
  again: string,
  work: () => Promise<Page | Redirect>,
): Promise<Page | Redirect> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // The message may name a person, and its cause may quote a token.
    const code = error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined;
    ctx.log.warn({ org, code }, 'single sign-on refused');
    return refusedPage(error.message, again);
  }
}

async function findOrgSso({ ctx, params }: Visit) {
  const name = OrgName.safeParse(params['org']);
  const org = name.success ? await findOrgByName(ctx.db, name.data) : undefined;
  const setting = org && (await store.findSetting(ctx.db, org.id));
  return org && setting && { org, setting };
}

function nextOf({ query }: Visit): string | null {
  return localPath(query.get('next'), '') || null;
}

function pageUrl(org: string, next: string | null): string {
  return `/sign-in/${org}${next === null ? '' : `?${new URLSearchParams({ next })}`}`;
}

function startUrl(visit: Visit, org: string): string {
  const next = nextOf(visit);
  const query = new URLSearchParams({ from: startToken(visit.browserSecret, org), ...(next !== null && { next }) });
  return `/sign-in/${org}/start?${query}`;
}
