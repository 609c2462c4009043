import { OrgName } from '@waymark/contract';
import type { App, SignInConfig } from '../../platform/http/app.ts';
import {
  handlePage,
  limitAttempts,
  localPath,
  type Page,
  type Redirect,
  type Visit,
} from '../../platform/http/page.ts';
import { createRateLimiter } from '../../platform/http/rate-limit.ts';
import { EmailAddress } from '../../platform/mail/email-address.ts';
import { askForLink, readLink, useLink } from './sign-in.service.ts';
import { askedPage, confirmPage, refusalPage, signInPage } from './sign-in-view.ts';

/**
 * The limit of an address refills within a minute, that of an account within a quarter of an hour, so that nobody's
 * mailbox is flooded.
 */
const ADDRESS_SECONDS = 60;
const ACCOUNT_SECONDS = 15 * 60;

/** Sign-in by a link sent by mail. */
export function signInRoutes(app: App, config: SignInConfig): void {
  const { perAddress, perAccount, signUp } = config;
  const allowAddress = createRateLimiter({ perSecond: perAddress / ADDRESS_SECONDS, burst: perAddress }, app.servers);
  const allowAccount = createRateLimiter({ perSecond: perAccount / ACCOUNT_SECONDS, burst: perAccount }, app.servers);
  const countAttempt = ({ address, ctx }: Visit) => limitAttempts(allowAddress, address, ctx.now());

  handlePage(app, 'GET', '/sign-in', async (visit) => {
    const org = visit.query.get('org');
    const next = nextOf(visit.query);
    if (org) return toOrg(visit, org.trim(), next);
    return signInPage(visit, {
      next,
      ...(visit.query.has('signed-out') && !visit.person && { note: 'You have signed out.' }),
    });
  });

  handlePage(app, 'POST', '/sign-in', async (visit) => {
    countAttempt(visit);
    const { ctx, browserSecret, form } = visit;
    const next = nextOf(form);
    const sent = (form.get('email') ?? '').trim();
    const email = EmailAddress.safeParse(sent);
    if (!email.success) {
      return signInPage(visit, {
        next,
        email: sent,
        problem: 'This is not an email address. Use a format such as ada@example.com.',
      });
    }
    // A request over the limit of an account gets the usual page: the requester learns nothing about the account.
    const { allowed } = allowAccount(email.data.toLowerCase(), ctx.now().getTime());
    if (allowed) await askForLink(ctx, { email: email.data, browserSecret, next });
    return askedPage(email.data);
  });

  handlePage(app, 'GET', '/sign-in/link', async (visit) => {
    const token = visit.query.get('token') ?? '';
    const { state, email } = await readLink(visit, token);
    if (state === 'good') return confirmPage(visit, token, email);
    countAttempt(visit);
    return refusalPage(state);
  });

  handlePage(app, 'POST', '/sign-in/link', async (visit): Promise<Page | Redirect> => {
    const outcome = await useLink(visit, visit.form.get('token') ?? '', signUp);
    if (typeof outcome === 'object') return outcome;
    countAttempt(visit);
    return refusalPage(outcome);
  });
}

function nextOf(sent: URLSearchParams): string | null {
  return localPath(sent.get('next'), '') || null;
}

function toOrg(visit: Visit, name: string, next: string | null): Page | Redirect {
  if (!OrgName.safeParse(name).success) return signInPage(visit, { next, problem: `Org ‘${name}’ does not exist.` });
  return { to: `/sign-in/${name}${next === null ? '' : `?next=${encodeURIComponent(next)}`}` };
}
