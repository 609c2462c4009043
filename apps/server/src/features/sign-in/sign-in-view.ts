import { type Html, html, trusted } from '../../platform/http/html.ts';
import type { Page, Visit } from '../../platform/http/page.ts';
import type { LinkState } from './sign-in.service.ts';

interface SignInForm {
  readonly next: string | null;
  readonly email?: string;
  /** Why the submitted form was refused. */
  readonly problem?: string;
  readonly note?: string;
}

export function signInPage({ csrfField, person }: Visit, { next, email, problem, note }: SignInForm): Page {
  const isBad = problem !== undefined && email !== undefined;
  const nextField = next !== null && html`<input type="hidden" name="next" value="${next}">`;
  return {
    title: 'Sign in',
    ...(problem !== undefined && { status: 400 }),
    body: html`
${problem !== undefined && html`<p class="note bad" role="alert" id="problem">${problem}</p>`}
${note !== undefined && html`<p class="note" role="status">${note}</p>`}
${person && html`<p>You are signed in as ${person.actor_name}. <a href="/account">Go to your account</a></p>`}
<form method="post" action="/sign-in">
${csrfField}${nextField}
<label>Email address
<input type="email" name="email" required autofocus autocomplete="email" maxlength="254" value="${email ?? ''}"${isBad && trusted(' aria-invalid="true" aria-describedby="problem"')}></label>
<button>Send sign-in link</button>
</form>
<h2>Sign in with your org</h2>
<p class="quiet">For orgs with their own identity provider.</p>
<form method="get" action="/sign-in">
${nextField}
<label>Name of the org
<input name="org" required autocomplete="organization" autocapitalize="none" spellcheck="false" maxlength="64"></label>
<button class="second">Continue</button>
</form>`,
  };
}

/** The same page, whether or not the address may sign in. */
export function askedPage(email: string): Page {
  return {
    title: 'Check your email',
    body: html`
<p>If <strong>${email}</strong> can sign in, we have sent a link to it.</p>
<p>Open it in this browser. It works once, within 10 minutes.</p>
<p class="quiet">Nothing after a minute? Check your spam folder, or <a href="/sign-in">try again</a>.</p>`,
  };
}

export function confirmPage({ csrfField, person }: Visit, token: string, email: string): Page {
  return {
    title: 'Sign in',
    body: html`
<p>Sign in as <strong>${email}</strong>.</p>
${person && html`<p class="quiet">You are signed in as ${person.actor_name}; that session will end.</p>`}
<form method="post" action="/sign-in/link">
${csrfField}
<input type="hidden" name="token" value="${token}">
<button autofocus>Sign in</button>
</form>`,
  };
}

const ASK_AGAIN = html`<p><a class="button" href="/sign-in">Request a new link</a></p>`;

const REFUSALS: Record<Exclude<LinkState, 'good'>, { status: number; title: string; body: Html }> = {
  unknown: {
    status: 404,
    title: 'This link is not valid',
    body: html`<p class="note bad" role="alert">The link is unknown. Check that it was copied completely.</p>${ASK_AGAIN}`,
  },
  used: {
    status: 410,
    title: 'This link was already used',
    body: html`<p class="note bad" role="alert">A link works once, and this one was already used.</p>${ASK_AGAIN}`,
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    body: html`<p class="note bad" role="alert">A link works for 10 minutes.</p>${ASK_AGAIN}`,
  },
  other_browser: {
    status: 403,
    title: 'Open this link in the original browser',
    body: html`
<p class="note bad" role="alert">This link works only in the browser in which it was requested.</p>
<p>Copy it from the email into that browser: it is still valid. To sign in here instead, request a new one.</p>
<p class="quiet">If you did not request it, close this page. Nobody was signed in.</p>
${ASK_AGAIN}`,
  },
};

export function refusalPage(state: Exclude<LinkState, 'good'>): Page {
  return REFUSALS[state];
}
