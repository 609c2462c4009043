import { putSso, SsoInput } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { forbidden, Problem } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { authenticate, authorise } from '../../platform/http/auth.ts';
import { handlePage, type Page, type Redirect, type Visit } from '../../platform/http/page.ts';
import { parse } from '../../platform/http/validation.ts';
import { readOrgRow } from '../orgs/org.reads.ts';
import { Refused } from './id-token.ts';
import * as sso from './sso.service.ts';
import * as store from './sso.store.ts';
import { readIssuer } from './sso-input.ts';
import { begin, isStartToken, type SignInParts, startToken } from './sso-sign-in.service.ts';
import { refusedPage, type SettingsForm, settingsPage } from './sso-view.ts';

const NO_CREDENTIAL = { kind: 'session', hash: Buffer.alloc(0), secret: '' } as const;

/** The page on which admins configure, test, enforce and remove the single sign-on of their org. */
export function ssoSettingsRoutes(app: App, parts: SignInParts): void {
  const show = async (
    visit: Visit,
    ctx: Ctx,
    extras: { note?: string; problem?: string; form?: SettingsForm } = {},
  ) => {
    const [org, setting] = [await readOrgRow(ctx.db, ctx.org), await store.findSetting(ctx.db, ctx.org)];
    const testUrl = `/organizations/${org.name}/sso/test?from=${startToken(visit.browserSecret, ctx.org)}`;
    return settingsPage(visit, { form: formOf(setting), ...extras, org, setting, testUrl, publicUrl: app.publicUrl });
  };

  const page = (
    method: 'GET' | 'POST',
    url: `/${string}`,
    answer: (visit: Visit, ctx: Ctx) => Promise<Page | Redirect>,
  ) =>
    handlePage(app, method, url, async (visit) => {
      if (!visit.person) return { to: `/sign-in?${new URLSearchParams({ next: settingsUrl(visit) })}` };
      const ctx = await adminCtx(visit);
      await sso.requireConfigurable(ctx);
      return answer(visit, ctx);
    });

  page('GET', '/organizations/:org/sso', (visit, ctx) => show(visit, ctx));

  page('POST', '/organizations/:org/sso', async (visit, ctx) => {
    const form = formFrom(visit.form);
    try {
      const input = parse(SsoInput, inputFrom(visit.form, form), '');
      await sso.configure(ctx, parts.secretBox, await readIssuer(parts.issuers, input));
      return await show(visit, ctx, { note: 'Saved.' });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return show(visit, ctx, { problem: messageOf(error), form });
    }
  });

  page('GET', '/organizations/:org/sso/test', async (visit, ctx) => {
    if (!isStartToken(visit.query.get('from'), visit.browserSecret, ctx.org)) return { to: settingsUrl(visit) };
    const setting = await sso.requireSetting(ctx);
    try {
      const session_id = visit.person?.credential_id ?? null;
      return { to: await begin(visit, parts, setting, { purpose: 'test', session_id, next: null }) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return refusedPage(error.message, settingsUrl(visit));
    }
  });

  page('POST', '/organizations/:org/sso/enforce', async (visit, ctx) => {
    const isWanted = visit.form.get('enforced') === 'true';
    await (isWanted ? sso.enforce(ctx) : sso.release(ctx));
    // Unless they signed in through it themselves, they may no longer see the settings.
    return isWanted && ctx.credential?.onlyOrg === null
      ? { to: `/sign-in/${visit.params['org']}?${new URLSearchParams({ next: settingsUrl(visit) })}` }
      : { to: settingsUrl(visit) };
  });

  page('POST', '/organizations/:org/sso/remove', async (visit, ctx) => {
    await sso.remove(ctx);
    return { to: settingsUrl(visit) };
  });
}

/** Applies the rules of every request: the page is open to whoever may use the API. */
async function adminCtx(visit: Visit): Promise<Ctx> {
  const orgName = visit.params['org'];
  const { access } = putSso;
  const caller = await authenticate(async () => visit.person, { credential: NO_CREDENTIAL, access, orgName });
  authorise(caller, putSso, { path: {}, query: {} });
  if (caller.credential.kind !== 'session') throw forbidden('These pages are for signed-in people');
  return { ...visit.ctx, actor: caller.actor, org: caller.org, credential: caller.credential };
}

const LABELS: Readonly<Record<string, string>> = {
  issuer: 'The issuer',
  client_id: 'The client',
  client_secret: 'The client secret',
  email_domains: 'Each email domain',
  default_role: 'The role',
};

/** Errors by the field names of the form. */
function messageOf({ message, fields }: Problem): string {
  const [field, reason] = Object.entries(fields ?? {})[0] ?? [];
  const label = field && LABELS[field.replace(/\.\d+$/, '')];
  return label ? `${label} ${reason}.` : message;
}

function settingsUrl({ params }: Visit): string {
  return `/organizations/${encodeURIComponent(params['org'] ?? '')}/sso`;
}

function formOf(setting: store.SettingRow | undefined): SettingsForm {
  return {
    issuer: setting?.issuer ?? '',
    clientId: setting?.client_id ?? '',
    emailDomains: setting?.email_domains.join(' ') ?? '',
    defaultRole: setting?.default_role ?? 'reader',
  };
}

function formFrom(form: URLSearchParams): SettingsForm {
  const field = (name: string) => (form.get(name) ?? '').trim();
  return {
    issuer: field('issuer'),
    clientId: field('client_id'),
    emailDomains: field('email_domains'),
    defaultRole: field('default_role'),
  };
}

function inputFrom(form: URLSearchParams, { issuer, clientId, emailDomains, defaultRole }: SettingsForm) {
  const secret = form.get('client_secret');
  return {
    issuer,
    client_id: clientId,
    ...(secret && { client_secret: secret }),
    email_domains: emailDomains.split(/[\s,]+/).filter((domain) => domain !== ''),
    default_role: defaultRole || 'reader',
  };
}
