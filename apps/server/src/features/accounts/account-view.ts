import { type KeyScope, scopeNames } from '@waymark/contract';
import { type Html, html } from '../../platform/http/html.ts';
import type { Page, Visit } from '../../platform/http/page.ts';
import type { KeyView } from '../api-keys/api-key.reads.ts';
import { type EnterableOrg, endOf, type SessionRow } from '../users/sessions/session.reads.ts';
import type { User } from '../users/user.reads.ts';
import { deviceOf } from './device-of.ts';

interface Invitation {
  readonly id: string;
  readonly org_name: string;
  readonly role: string;
}

interface Account {
  readonly user: User;
  /** The name of the only org that the session is valid for. */
  readonly onlyOrg: string | null;
  readonly orgs: readonly EnterableOrg[];
  readonly invitations: readonly Invitation[];
  readonly sessions: readonly SessionRow[];
  readonly keys: readonly KeyView[];
}

/** The rest can be read from the API. */
const MAX_KEYS_SHOWN = 100;

export function accountPage(visit: Visit, account: Account): Page {
  const { user, onlyOrg } = account;
  return {
    title: user.displayName ?? user.login,
    isWide: true,
    body: html`
<dl>
<dt>Login</dt><dd>${user.login}</dd>
<dt>Email</dt><dd>${user.email ?? 'none'}</dd>
</dl>
${
  onlyOrg !== null &&
  html`<p class="after">You signed in through the identity provider of ${onlyOrg}, so this session is valid only in that org. <a href="/sign-in">Sign in by email</a> to access all your orgs.</p>`
}
<form method="post" action="/sign-out">${visit.csrfField}<button class="second">Sign out</button></form>
${account.invitations.length > 0 && invitationList(account.invitations)}
<h2>Orgs</h2>
${orgTable(account.orgs)}
<h2>Sessions</h2>
${sessionTable(visit, account.sessions)}
<h2>Personal API keys</h2>
${keyTable(visit, account.keys)}
${keyForm(visit)}`,
  };
}

function invitationList(invitations: readonly Invitation[]): Html {
  return html`<h2>Invitations</h2>
<ul>${invitations.map(({ id, org_name, role }) => html`<li><a href="/invitations/${id}">${org_name}</a>, as ${role}</li>`)}</ul>`;
}

function orgTable(orgs: readonly EnterableOrg[]): Html {
  if (orgs.length === 0) return html`<p class="quiet">You are not a member of any org.</p>`;
  const row = ({ name, role, kind, sso_required }: EnterableOrg) => html`
<tr><th scope="row">${name}</th><td class="short"><span class="label">Role </span>${role}</td><td>${kind === 'personal' ? 'your own' : 'shared'}${
    sso_required && html`; <a href="/sign-in/${name}">sign in with the org</a> to access it`
  }${kind === 'shared' && role === 'admin' && !sso_required && html`; <a href="/organizations/${name}/sso">single sign-on</a>`}</td></tr>`;
  return html`<table class="stacks">
<thead><tr><th scope="col">Org</th><th scope="col">Role</th><th scope="col">Kind</th></tr></thead>
<tbody>${orgs.map(row)}
</tbody></table>`;
}

const METHODS: Record<SessionRow['method'], string> = {
  link: 'by an email link',
  sso: 'through an identity provider',
  set_up: 'by setting up the installation',
};

function sessionTable({ csrfField, person }: Visit, sessions: readonly SessionRow[]): Html {
  const row = (session: SessionRow) => {
    const device = deviceOf(session.user_agent);
    return html`
<tr>
<th scope="row">${device}${session.id === person?.credential_id && html` <span class="tag">this session</span>`}<span class="quiet block">${session.address}</span></th>
<td><span class="label">Signed in </span>${moment(session.created_at)}<span class="quiet block">${METHODS[session.method]}</span></td>
<td><span class="label">Last seen </span>${moment(session.last_seen_at)}</td>
<td><span class="label">Ends </span>${moment(endOf(session))}</td>
<td><form method="post" action="/account/end-session">${csrfField}<input type="hidden" name="session" value="${session.id}"><button class="plain" aria-label="End the session of ${device}, ${session.address}">End</button></form></td>
</tr>`;
  };
  return html`<table class="stacks">
<thead><tr><th scope="col">Browser</th><th scope="col">Signed in</th><th scope="col">Last seen</th><th scope="col">Ends</th><th scope="col"><span class="unseen">Action</span></th></tr></thead>
<tbody>${sessions.map(row)}
</tbody></table>`;
}

function keyTable({ csrfField }: Visit, keys: readonly KeyView[]): Html {
  if (keys.length === 0) return html`<p class="quiet">No personal API keys yet.</p>`;
  const row = (key: KeyView) => html`
<tr>
<th scope="row">${key.description}${key.only_org !== null && html`<span class="quiet block">valid only in ${key.only_org}</span>`}${key.scope !== null && html`<span class="quiet block">scope: ${scopeWords(key.scope)}</span>`}</th>
<td><span class="label">Created </span>${moment(key.created_at)}</td>
<td><span class="label">Last used </span>${key.last_used_at ? moment(key.last_used_at) : 'never'}</td>
<td><span class="label">Expires </span>${key.expires_at ? moment(key.expires_at) : 'never'}</td>
<td><form method="post" action="/account/revoke-key">${csrfField}<input type="hidden" name="key" value="${key.id}"><button class="plain" aria-label="Revoke the key ${key.description}">Revoke</button></form></td>
</tr>`;
  return html`<table class="stacks">
<thead><tr><th scope="col">Key</th><th scope="col">Created</th><th scope="col">Last used</th><th scope="col">Expires</th><th scope="col"><span class="unseen">Action</span></th></tr></thead>
<tbody>${keys.slice(0, MAX_KEYS_SHOWN).map(row)}
</tbody></table>
${keys.length > MAX_KEYS_SHOWN && html`<p class="quiet">Not all keys are shown. The API lists all of them.</p>`}`;
}

function scopeWords(scope: KeyScope): string {
  const names = scopeNames(scope);
  return names ? `${scope.kind} (${names.join(', ')})` : scope.kind;
}

function keyForm({ csrfField }: Visit): Html {
  return html`<form class="narrow" method="post" action="/account/make-key">${csrfField}
<label for="description">Purpose of the new key</label>
<input id="description" name="description" required maxlength="256" placeholder="laptop" autocomplete="off">
<label for="days">Expires in</label>
<select id="days" name="days"><option value="30">30 days</option><option value="90" selected>90 days</option><option value="365">1 year</option><option value="">never</option></select>
<label for="scope">Scope</label>
<select id="scope" name="scope"><option value="" selected>all your permissions</option><option value="evidence">evidence: report artifacts and attestations</option><option value="snapshot">snapshots: report what runs in environments</option><option value="read">read only</option></select>
<button class="second">Create key</button></form>`;
}

/** The only time that the key is shown. */
export function newKeyPage(key: { text: string; description: string }): Page {
  return {
    title: 'Your new API key',
    body: html`
<p>For ${key.description}. Copy it now: it is shown only once.</p>
<p><code class="secret">${key.text}</code></p>
<p class="quiet">Send it as <code>Authorization: Bearer …</code> with every request.</p>
<p><a class="button" href="/account">Done</a></p>`,
  };
}

function moment(at: Date): Html {
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
