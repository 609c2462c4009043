import type { Sso } from '@waymark/contract';
import { type Html, html, prose, trusted } from '../../platform/http/html.ts';
import type { Page, Visit } from '../../platform/http/page.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { OrgRow } from '../orgs/org.reads.ts';
import type { Claims } from './id-token.ts';
import type { SettingRow } from './sso.store.ts';

/** One per org, so that a response of another identity provider is never accepted for this one. */
export function redirectUri(publicUrl: string, org: string): string {
  return `${publicUrl}/sign-in/${org}/callback`;
}

export function toSso(setting: SettingRow, org: OrgRow, publicUrl: string): Sso {
  return {
    issuer: setting.issuer,
    client_id: setting.client_id,
    has_client_secret: setting.sealed_secret !== null,
    email_domains: setting.email_domains,
    default_role: setting.default_role,
    redirect_uri: redirectUri(publicUrl, org.name),
    sign_in_url: `${publicUrl}/sign-in/${org.name}`,
    configured_at: epochSeconds(setting.configured_at),
    configured_by: setting.configured_by,
    tested_at: setting.tested_at && epochSeconds(setting.tested_at),
    enforced: org.sso_enforced_at !== null,
  };
}

/** The same for an org without single sign-on and for one that does not exist. */
export const NO_SSO: Page = {
  title: 'No single sign-on',
  status: 404,
  body: html`<p>This org has no single sign-on, or there is no such org.</p>
<p><a href="/sign-in">Sign in in another way</a></p>`,
};

export function signInPage(org: string, issuer: string, startUrl: string, { person }: Visit): Page {
  return {
    title: `Sign in to ${org}`,
    body: html`
<p>The identity provider of this org, <strong>${hostOf(issuer)}</strong>, says who you are. The session is good in this org alone.</p>
${person && html`<p class="quiet">You are signed in as ${person.actor_name}; that session ends.</p>`}
<p><a class="button" href="${startUrl}">Continue to ${hostOf(issuer)}</a></p>
<p class="quiet"><a href="/sign-in">Sign in in another way</a></p>`,
  };
}

export function refusedPage(reason: string, again: string): Page {
  return {
    title: 'Sign-in did not work',
    status: 403,
    body: html`<p class="note bad" role="alert">${prose(reason)}.</p>
<p><a class="button" href="${again}">Try again</a></p>
<p class="quiet">If it stays like this, show this page to an admin of your org.</p>`,
  };
}

export function testedPage(org: string, claims: Claims, fault: string | null): Page {
  return {
    title: fault === null ? 'The test succeeded' : 'The test did not succeed',
    ...(fault !== null && { status: 403 }),
    body: html`
${fault === null ? html`<p class="note" role="status">You would be let in. Nobody was signed in by this test.</p>` : html`<p class="note bad" role="alert">${prose(fault)}.</p>`}
<p>This is what the identity provider says:</p>
<dl>
<dt>Name</dt><dd>${claims.name ?? 'not told'}</dd>
<dt>E-mail</dt><dd>${claims.email ?? 'not told'}</dd>
<dt>Verified</dt><dd>${claims.emailVerified ? 'yes' : 'no'}</dd>
<dt>Subject</dt><dd><code>${claims.subject}</code></dd>
</dl>
<p><a class="button" href="/organizations/${org}/sso">To the settings</a></p>`,
  };
}

export interface SettingsForm {
  readonly issuer: string;
  readonly clientId: string;
  readonly emailDomains: string;
  readonly defaultRole: string;
}

export interface Settings {
  readonly org: OrgRow;
  readonly setting: SettingRow | undefined;
  readonly publicUrl: string;
  readonly testUrl: string;
  readonly form: SettingsForm;
  readonly note?: string;
  readonly problem?: string;
}

export function settingsPage(visit: Visit, settings: Settings): Page {
  const { org, setting, publicUrl, form, note, problem } = settings;
  return {
    title: `Single sign-on of ${org.name}`,
    ...(problem !== undefined && { status: 400 }),
    body: html`
${problem !== undefined && html`<p class="note bad" role="alert">${problem}</p>`}
${note !== undefined && html`<p class="note" role="status">${note}</p>`}
<p>People sign in through the org’s own identity provider, with OpenID Connect. Register Waymark there as a web application with this redirect URI:</p>
<p><code class="secret">${redirectUri(publicUrl, org.name)}</code></p>
${setting && steps(visit, settings, setting)}
<h2>Configuration</h2>
${configurationForm(visit, org, setting, form)}
${setting && org.sso_enforced_at === null && removalForm(visit, org)}`,
  };
}

function steps(visit: Visit, { org, publicUrl, testUrl }: Settings, setting: SettingRow): Html {
  return html`
<p>Your people sign in at <a href="/sign-in/${org.name}">${publicUrl}/sign-in/${org.name}</a>.</p>
${setting.email_domains.length === 0 && html`<p class="note bad">Without e-mail domains, everybody whom ${hostOf(setting.issuer)} knows may join as ${setting.default_role}. Name yours, unless it knows your people only.</p>`}
<h2>Test</h2>
<p>${setting.tested_at === null ? 'Not tested since the last change.' : `Tested on ${day(setting.tested_at)}.`} A test signs nobody in; it shows what the identity provider says about you.</p>
<p><a class="button second" href="${testUrl}">Test it</a></p>
<h2>Enforce</h2>
${org.sso_enforced_at === null ? enforceForm(visit, org, setting) : releaseForm(visit, org, org.sso_enforced_at)}`;
}

function enforceForm({ csrfField }: Visit, { name }: OrgRow, { tested_at }: SettingRow): Html {
  if (tested_at === null) return html`<p>Once you have tested it, you can keep all other doors shut.</p>`;
  return html`
<p>People then enter this org in no other way. Sessions and personal keys that came about otherwise no longer work here, yours included; keys of service accounts do.</p>
<form method="post" action="/organizations/${name}/sso/enforce">${csrfField}
<input type="hidden" name="enforced" value="true"><button>Enforce single sign-on</button></form>`;
}

function releaseForm({ csrfField }: Visit, { name }: OrgRow, since: Date): Html {
  return html`
<p>Enforced since ${day(since)}. Issuer and client stay as they are meanwhile.</p>
<form method="post" action="/organizations/${name}/sso/enforce">${csrfField}
<input type="hidden" name="enforced" value="false"><button class="second">Release</button></form>`;
}

function configurationForm(
  { csrfField }: Visit,
  org: OrgRow,
  setting: SettingRow | undefined,
  form: SettingsForm,
): Html {
  const isFixed = org.sso_enforced_at !== null && trusted(' readonly');
  const hasSecret = setting !== undefined && setting.sealed_secret !== null;
  return html`
<form method="post" action="/organizations/${org.name}/sso">${csrfField}
<label>Issuer <span class="quiet">as your identity provider writes it</span>
<input type="url" name="issuer" required maxlength="2048" placeholder="https://id.example.com" value="${form.issuer}"${isFixed}></label>
<label>Client
<input name="client_id" required maxlength="512" autocomplete="off" value="${form.clientId}"${isFixed}></label>
<label>Client secret <span class="quiet">${hasSecret ? 'leave empty to keep the one there is' : 'leave empty for a public client'}</span>
<input type="password" name="client_secret" maxlength="1024" autocomplete="new-password"></label>
<label>E-mail domains <span class="quiet">separated by spaces</span>
<input name="email_domains" placeholder="example.com" value="${form.emailDomains}"></label>
<label>Role of people who come for the first time
<select name="default_role">${['reader', 'snapshotter', 'member'].map((role) =>
    role === form.defaultRole ? html`<option selected>${role}</option>` : html`<option>${role}</option>`,
  )}</select></label>
<button>Save</button>
</form>`;
}

function removalForm({ csrfField }: Visit, { name }: OrgRow): Html {
  return html`
<h2>Remove</h2>
<p>Sessions and personal keys that came from the identity provider end.</p>
<form method="post" action="/organizations/${name}/sso/remove">${csrfField}<button class="second">Remove single sign-on</button></form>`;
}

function hostOf(issuer: string): string {
  return URL.parse(issuer)?.host ?? issuer;
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10);
}
