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
  title: 'Single sign-on is not available',
  status: 404,
  body: html`<p>This org does not exist or has no single sign-on.</p>
<p><a href="/sign-in">Use another sign-in method</a></p>`,
};

export function signInPage(org: string, issuer: string, startUrl: string, { person }: Visit): Page {
  return {
    title: `Sign in to ${org}`,
    body: html`
<p>You sign in with the identity provider of this org, <strong>${hostOf(issuer)}</strong>. The session is valid only in this org.</p>
${person && html`<p class="quiet">You are signed in as ${person.actor_name}; that session will end.</p>`}
<p><a class="button" href="${startUrl}">Continue to ${hostOf(issuer)}</a></p>
<p class="quiet"><a href="/sign-in">Use another sign-in method</a></p>`,
  };
}

export function refusedPage(reason: string, again: string): Page {
  return {
    title: 'Sign-in failed',
    status: 403,
    body: html`<p class="note bad" role="alert">${prose(reason)}.</p>
<p><a class="button" href="${again}">Try again</a></p>
<p class="quiet">If this keeps happening, show this page to an admin of your org.</p>`,
  };
}

export function testedPage(org: string, claims: Claims, fault: string | null): Page {
  return {
    title: fault === null ? 'The test succeeded' : 'The test failed',
    ...(fault !== null && { status: 403 }),
    body: html`
${fault === null ? html`<p class="note" role="status">You can sign in with this configuration. The test did not sign you in.</p>` : html`<p class="note bad" role="alert">${prose(fault)}.</p>`}
<p>The identity provider sent:</p>
<dl>
<dt>Name</dt><dd>${claims.name ?? 'not sent'}</dd>
<dt>Email</dt><dd>${claims.email ?? 'not sent'}</dd>
<dt>Verified</dt><dd>${claims.emailVerified ? 'yes' : 'no'}</dd>
<dt>Subject</dt><dd><code>${claims.subject}</code></dd>
</dl>
<p><a class="button" href="/organizations/${org}/sso">Go to settings</a></p>`,
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
<p>People sign in at <a href="/sign-in/${org.name}">${publicUrl}/sign-in/${org.name}</a>.</p>
${setting.email_domains.length === 0 && html`<p class="note bad">Without email domains, everyone with an account at ${hostOf(setting.issuer)} can join as ${setting.default_role}. Enter your domains, unless only your people have accounts there.</p>`}
<h2>Test</h2>
<p>${setting.tested_at === null ? 'Not tested since the last change.' : `Tested on ${day(setting.tested_at)}.`} A test does not sign you in; it shows what the identity provider sends about you.</p>
<p><a class="button second" href="${testUrl}">Run test</a></p>
<h2>Enforce</h2>
${org.sso_enforced_at === null ? enforceForm(visit, org, setting) : releaseForm(visit, org, org.sso_enforced_at)}`;
}

function enforceForm({ csrfField }: Visit, { name }: OrgRow, { tested_at }: SettingRow): Html {
  if (tested_at === null) return html`<p>Once you have tested it, you can require single sign-on for this org.</p>`;
  return html`
<p>People can then enter this org only through single sign-on. Sessions and personal keys obtained in other ways no longer work in this org, including yours; keys of service accounts do.</p>
<form method="post" action="/organizations/${name}/sso/enforce">${csrfField}
<input type="hidden" name="enforced" value="true"><button>Enforce single sign-on</button></form>`;
}

function releaseForm({ csrfField }: Visit, { name }: OrgRow, since: Date): Html {
  return html`
<p>Enforced since ${day(since)}. Issuer and client cannot be changed meanwhile.</p>
<form method="post" action="/organizations/${name}/sso/enforce">${csrfField}
<input type="hidden" name="enforced" value="false"><button class="second">Stop enforcing</button></form>`;
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
<label>Client secret <span class="quiet">${hasSecret ? 'leave empty to keep the current one' : 'leave empty for a public client'}</span>
<input type="password" name="client_secret" maxlength="1024" autocomplete="new-password"></label>
<label>Email domains <span class="quiet">separated by spaces</span>
<input name="email_domains" placeholder="example.com" value="${form.emailDomains}"></label>
<label>Role of people who sign in for the first time
<select name="default_role">${['reader', 'snapshotter', 'member'].map((role) =>
    role === form.defaultRole ? html`<option selected>${role}</option>` : html`<option>${role}</option>`,
  )}</select></label>
<button>Save</button>
</form>`;
}

function removalForm({ csrfField }: Visit, { name }: OrgRow): Html {
  return html`
<h2>Remove</h2>
<p>Ends the sessions and personal keys obtained through the identity provider.</p>
<form method="post" action="/organizations/${name}/sso/remove">${csrfField}<button class="second">Remove single sign-on</button></form>`;
}

function hostOf(issuer: string): string {
  return URL.parse(issuer)?.host ?? issuer;
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10);
}
