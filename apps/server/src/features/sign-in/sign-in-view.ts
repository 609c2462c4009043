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
${person && html`<p>You are signed in as ${person.actor_name}. <a href="/account">To your account</a></p>`}
<form method="post" action="/sign-in">
${csrfField}${nextField}
<label>E-mail address
<input type="email" name="email" required autofocus autocomplete="email" maxlength="254" value="${email ?? ''}"${isBad && trusted(' aria-invalid="true" aria-describedby="problem"')}></label>
<button>Send me a link</button>
</form>
<h2>Sign in with your org</h2>
<p class="quiet">For orgs that have an identity provider of their own.</p>
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
    title: 'Look into your mail',
    body: html`
<p>If <strong>${email}</strong> may sign in here, a link is on its way to it.</p>
<p>Open it in this browser. It works once, within 10 minutes.</p>
<p class="quiet">Nothing there after a minute? Look among the unwanted mail, or <a href="/sign-in">try again</a>.</p>`,
  };
}

export function confirmPage({ csrfField, person }: Visit, token: string, email: string): Page {
  return {
    title: 'Sign in',
    body: html`
<p>You sign in with <strong>${email}</strong>.</p>
${person && html`<p class="quiet">You are signed in as ${person.actor_name}; that session ends.</p>`}
<form method="post" action="/sign-in/link">
${csrfField}
<input type="hidden" name="token" value="${token}">
<button autofocus>Sign in</button>
</form>`,
  };
}

const ASK_AGAIN = html`<p><a class="button" href="/sign-in">Ask for a new link</a></p>`;

const REFUSALS: Record<Exclude<LinkState, 'good'>, { status: number; title: string; body: Html }> = {
  unknown: {
    status: 404,
    title: 'This link does not work',
    body: html`<p class="note bad" role="alert">The link is not known here. Was it copied as a whole?</p>${ASK_AGAIN}`,
  },
  used: {
    status: 410,
    title: 'This link was used',
    body: html`<p class="note bad" role="alert">A link works once, and this one has been used.</p>${ASK_AGAIN}`,
  },
  expired: {
    status: 410,
    title: 'This link is too old',
    body: html`<p class="note bad" role="alert">A link works for 10 minutes, and they are over.</p>${ASK_AGAIN}`,
  },
  other_browser: {
    status: 403,
    title: 'Open it in the other browser',
    body: html`
<p class="note bad" role="alert">This link works only in the browser in which it was asked for.</p>
<p>Copy it from the mail into that browser: it is still good. To sign in here instead, ask for a new one.</p>
<p class="quiet">You did not ask for it? Then close this page. Nobody was signed in.</p>
${ASK_AGAIN}`,
  },
};

export function refusalPage(state: Exclude<LinkState, 'good'>): Page {
  return REFUSALS[state];
}
