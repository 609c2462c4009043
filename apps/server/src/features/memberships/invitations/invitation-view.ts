import type { Role } from '@waymark/contract';
import { type Html, html } from '../../../platform/http/html.ts';
import type { Page, Visit } from '../../../platform/http/page.ts';
import type { FoundInvitation } from './invitation.store.ts';

/** How the visitor accepts: as the signed-in user, after signing in, or as a new user. */
export type Way = 'as_addressee' | 'as_another' | 'as_member' | 'sign_in' | 'sign_up';

export function invitationPage(
  visit: Visit,
  org: string,
  invitation: FoundInvitation,
  way: Way,
  code: string | undefined,
): Page {
  const { id, invited_by, role, email } = invitation;
  const { label, notice } = STEPS[way](visit.person?.actor_name ?? '', signInPath(id));
  return {
    title: `Join ${org}`,
    body: html`
<p><strong>${invited_by}</strong> invites you to join the org <strong>${org}</strong> as ${articleOf(role)} <strong>${role}</strong>.</p>
${notice}
<dl><dt>Sent to</dt><dd>${email}</dd><dt>Expires</dt><dd>${utc(invitation.expires_at)}</dd></dl>
${
  label === undefined
    ? html`<p><a class="button" href="${signInPath(id)}">Sign in</a></p>`
    : html`<form method="post" action="/invitations/${id}">
${visit.csrfField}
${code !== undefined && html`<input type="hidden" name="code" value="${code}">`}
<button>${label}</button>
</form>`
}`,
  };
}

/** The text above the button, and its label; without one, the visitor signs in first. */
const STEPS: Record<Way, (login: string, signIn: string) => { notice: Html; label?: string }> = {
  as_addressee: (login) => ({ notice: html`<p>You are signed in as ${login}.</p>`, label: 'Accept' }),
  as_another: (login, signIn) => ({
    notice: html`<p class="note bad">You are signed in as ${login}, with another address.</p>
<p>You can accept as ${login}, or <a href="${signIn}">sign in with the address it was sent to</a>.</p>`,
    label: `Accept as ${login}`,
  }),
  as_member: (login) => ({
    notice: html`<p class="note bad">You are signed in as ${login}, who is already a member with this role or a higher one.</p>
<p>If the invitation is for you, sign in with the address it was sent to.</p>`,
  }),
  sign_in: () => ({
    notice: html`<p>An account with this address exists. Sign in to return to this page.</p>`,
  }),
  sign_up: () => ({
    notice: html`<p class="quiet">Accepting creates an account with this address.</p>`,
    label: 'Accept and sign up',
  }),
};

export function articleOf(role: Role): 'a' | 'an' {
  return role === 'admin' ? 'an' : 'a';
}

function signInPath(id: string): string {
  return `/sign-in?next=${encodeURIComponent(`/invitations/${id}`)}`;
}

/** Reveals nothing about the invitation to a visitor who has not shown that it is theirs. */
export function codePage(visit: Visit, id: string, isWrong: boolean): Page {
  return {
    title: 'Enter the invitation code',
    ...(isWrong && { status: 400 }),
    body: html`
${isWrong && html`<p class="note bad" role="alert">This is not the code from the email. After 5 wrong codes the invitation is void.</p>`}
<p>Open the link in the email, or enter the code at its end.</p>
${
  !visit.person &&
  html`<p>If it was sent to the address of your account, <a href="${signInPath(id)}">sign in</a> instead.</p>`
}
<form method="get" action="/invitations/${id}">
<label>Code <input name="code" required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100"></label>
<button>Continue</button>
</form>`,
  };
}

export function closedPage(): Page {
  return {
    title: 'This invitation is not open',
    status: 404,
    body: html`
<p class="note bad" role="alert">It was accepted or withdrawn, was replaced by a newer one, or has expired.</p>
<p>If you have joined, the org is on <a href="/account">your account page</a>. Otherwise ask for a new invitation.</p>`,
  };
}

function utc(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
