import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { csrfTokenOf, SESSION_COOKIE } from '../../../src/platform/http/session-cookie.ts';
import type { TestApi } from '../../harness.ts';
import { linkIn, type MailServer } from '../../mail-server.ts';
import type { CiIssuer } from '../../oidc/ci-issuer.ts';
import type { OidcProvider } from '../../oidc/start-provider.ts';
import { newVisitor, type Visitor } from '../../visitor.ts';

export interface Stage {
  readonly url: string;
  readonly mails: MailServer;
  readonly provider: OidcProvider;
  readonly clientSecret: string;
  readonly issuer: CiIssuer;
  /** Remembers a secret, and returns it. */
  readonly note: (name: string, secret: string) => string;
}

type Headers = Record<string, string>;

/** Every operation that handles a secret, at least once each, and some with mistakes. */
export async function useEverySecret(stage: Stage, setUpLink: string): Promise<void> {
  const admin = await setUp(stage, setUpLink);
  const personal = await personalKeys(stage, admin);
  const account = await accountKeys(stage, personal);
  await misuse(stage, personal, account);
  await signInByLink(stage);
  await acceptInvitation(stage, personal);
  await exchangeTokens(stage, personal);
  await notify(stage, personal);
  await provision(stage, personal);
  await signInByProvider(stage, personal);
}

async function setUp(stage: Stage, link: string): Promise<Visitor> {
  const token = stage.note('set-up token', new URL(link).searchParams.get('token') ?? '');
  const visitor = browserOf(stage);
  await visitor.get(pathOf(link));
  const fields = { token, org: 'acme', login: 'ada', email: 'ada@corp.test', display_name: 'Ada' };
  expect((await visitor.post('/set-up', fields)).status).toBe(303);
  noteCookies(stage, visitor, 'set-up');
  return visitor;
}

/** By session, with an Idempotency-Key, as a browser and a client with bad connections would. */
async function personalKeys(stage: Stage, visitor: Visitor): Promise<string> {
  const session = visitor.cookies.get(SESSION_COOKIE) ?? '';
  const headers = {
    cookie: `${SESSION_COOKIE}=${session}`,
    'x-csrf-token': stage.note('csrf token', csrfTokenOf(session)),
    'idempotency-key': 'personal',
  };
  const first = await call(stage, 'POST', '/user/api-keys', headers, { description: 'first' }, 201);
  stage.note('personal key', first['key'] ?? '');
  await call(stage, 'POST', '/user/api-keys', headers, { description: 'first' });
  await call(stage, 'GET', '/user/session', headers);
  const rotated = await call(stage, 'POST', `/user/api-keys/${first['id']}/rotate`, without(headers), {}, 201);
  return stage.note('rotated personal key', rotated['key'] ?? '');
}

async function accountKeys(stage: Stage, key: string): Promise<string> {
  const headers = { ...bearer(key), 'idempotency-key': 'account' };
  const base = '/service-accounts/acme';
  await call(stage, 'POST', base, bearer(key), { name: 'ci', privilege: 'member' }, 201);
  const made = await call(stage, 'POST', `${base}/ci/api-keys`, headers, { description: 'ci' }, 201);
  stage.note('account key', made['key'] ?? '');
  await call(stage, 'POST', `${base}/ci/api-keys`, headers, { description: 'ci' });
  const rotated = await call(stage, 'POST', `${base}/ci/api-keys/${made['id']}/rotate`, bearer(key), {}, 201);
  return stage.note('rotated account key', rotated['key'] ?? '');
}

/** Common mistakes with keys. The refusal must not quote them. */
async function misuse(stage: Stage, personal: string, account: string): Promise<void> {
  const basic = Buffer.from(`${account}:x`).toString('base64');
  await call(stage, 'GET', '/flows/acme', bearer(account), undefined, 200);
  await call(stage, 'GET', '/flows/acme', { authorization: `Basic ${basic}` });
  await call(stage, 'GET', '/flows/acme', { authorization: `Digest ${personal}` });
  await call(stage, 'GET', '/flows/acme', bearer(`${personal}x`));
  await call(stage, 'GET', `/flows/acme?api_key=${personal}`, bearer(account));
  await call(stage, 'GET', '/flows/acme', { cookie: `${SESSION_COOKIE}=${personal}` });
  await call(stage, 'PUT', '/flows/acme', bearer(account), { name: 'f', key: personal }, 400);
  await call(stage, 'PUT', '/flows/acme', bearer(account), `{"name": "${personal}`, 400);
  await call(stage, 'PUT', '/flows/acme', { ...bearer(account), 'idempotency-key': 'flow' }, { name: 'f' }, 201);
}

async function signInByLink(stage: Stage): Promise<void> {
  const visitor = browserOf(stage);
  await visitor.get('/sign-in');
  await visitor.post('/sign-in', { email: 'ada@corp.test' });
  const link = linkIn(await stage.mails.mailTo('ada@corp.test'));
  const token = stage.note('link token', new URL(link).searchParams.get('token') ?? '');
  await browserOf(stage).get(pathOf(link));
  await visitor.get(pathOf(link));
  expect((await visitor.post('/sign-in/link', { token })).status).toBe(303);
  noteCookies(stage, visitor, 'link');
  await visitor.post('/sign-in/link', { token });
  await visitor.get('/account');
  await visitor.post('/sign-out');
}

async function acceptInvitation(stage: Stage, key: string): Promise<void> {
  const invitation = { email: 'bob@corp.test', role: 'member' };
  await call(stage, 'POST', '/organizations/acme/invitations', bearer(key), invitation, 201);
  const link = linkIn(await stage.mails.mailTo('bob@corp.test'));
  const code = stage.note('invitation code', new URL(link).searchParams.get('code') ?? '');
  const visitor = browserOf(stage);
  await visitor.get(pathOf(link));
  expect((await visitor.post(pathOf(link).split('?')[0] ?? '', { code })).status).toBe(303);
  noteCookies(stage, visitor, 'invitation');
}

async function exchangeTokens(stage: Stage, key: string): Promise<void> {
  const { issuer } = stage;
  const rule = { name: 'web', service_account: 'ci', issuer: issuer.url, claims: { repository_id: '1296269' } };
  await call(stage, 'POST', '/organizations/acme/workload-identities', bearer(key), rule, 201);
  const token = stage.note('CI token', await issuer.mint());
  const { key: exchanged = '' } = await call(stage, 'POST', '/oidc/acme/token', {}, { token }, 201);
  stage.note('exchanged key', exchanged);
  await call(stage, 'PUT', '/flows/acme', bearer(exchanged), { name: 'by-job' }, 201);
  await call(stage, 'POST', '/oidc/acme/token', {}, { token }, 403);
  const wrong = [{ aud: 'elsewhere' }, { repository_id: '1' }, { iss: 'https://elsewhere.test' }];
  for (const [i, claims] of wrong.entries()) {
    const refused = stage.note(`refused CI token ${i}`, await issuer.mint({ claims }));
    await call(stage, 'POST', '/oidc/acme/token', {}, { token: refused }, 403);
  }
}

/** URLs of targets are secrets, and webhooks have another one. Nothing listens where the test message goes. */
async function notify(stage: Stage, key: string): Promise<void> {
  const path = stage.note('path of a webhook', randomBytes(18).toString('base64url'));
  const targets = [
    { type: 'WEBHOOK', webhook: `https://127.0.0.1:1/${path}?${path}` },
    { type: 'CHAT', webhook: `https://127.0.0.1:1/${path}` },
  ];
  const notification = { name: 'alerts', environments: ['prod'], triggers: ['ON_COMPLIANT_ENV'], targets };
  const [list, config] = ['/organizations/acme/environments_notifications', '/notification-config/acme/api_key_expiry'];
  await call(stage, 'PUT', '/environments/acme', bearer(key), { name: 'prod', type: 'server' }, 201);
  const made = await call(stage, 'PUT', list, bearer(key), notification, 201);
  await call(stage, 'PUT', list, bearer(key), { ...notification, targets: [...targets, { webhook: path }] }, 400);
  await call(stage, 'PUT', config, bearer(key), { targets }, 201);
  for (const { id, type } of made['targets'] as unknown as { id: string; type: string }[]) {
    const target = `/organizations/acme/targets/${id}`;
    await call(stage, 'POST', `${target}/test`, bearer(key), undefined, 201);
    if (type !== 'WEBHOOK') continue;
    const { secret: first = '' } = await call(stage, 'GET', `${target}/secret`, bearer(key), undefined, 200);
    stage.note('webhook secret', first.slice('whsec_'.length));
    const once = { ...bearer(key), 'idempotency-key': 'rotation' };
    const { secret = '' } = await call(stage, 'POST', `${target}/secret/rotate`, once, {}, 201);
    stage.note('rotated webhook secret', secret.slice('whsec_'.length));
    await call(stage, 'POST', `${target}/secret/rotate`, once, {}, 400);
    await call(stage, 'POST', `${target}/test`, bearer(key), undefined, 201);
  }
}

async function provision(stage: Stage, key: string): Promise<void> {
  const org = { name: 'provisioned' };
  await call(stage, 'POST', '/organizations', bearer(key), org, 201);
  const { key: scim = '' } = await call(stage, 'POST', '/organizations/provisioned/scim', bearer(key), undefined, 201);
  stage.note('SCIM key', scim);
  const user = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'eve@corp.test',
    emails: [{ value: 'eve@corp.test', primary: true }],
    active: true,
  };
  await call(stage, 'POST', '/scim/v2/provisioned/Users', bearer(scim), user, 201);
  await call(stage, 'GET', '/flows/provisioned', bearer(scim), undefined, 403);
}

async function signInByProvider(stage: Stage, key: string): Promise<void> {
  const { provider, clientSecret } = stage;
  const setting = { issuer: provider.issuer, client_id: provider.clientId, client_secret: clientSecret };
  await call(stage, 'PUT', '/organizations/acme/sso', bearer(key), setting, 200);
  const visitor = browserOf(stage);
  const page = await visitor.get('/sign-in/acme');
  const start = /\/sign-in\/acme\/start\?[^"]+/.exec(page.html)?.[0].replaceAll('&amp;', '&') ?? '';
  const { location = '' } = await visitor.get(start);
  stage.note('state', new URL(location).searchParams.get('state') ?? '');
  stage.note('nonce', new URL(location).searchParams.get('nonce') ?? '');
  const back = await provider.signIn(location, 'carol');
  stage.note('authorization code', new URL(back).searchParams.get('code') ?? '');
  expect((await visitor.get(pathOf(back))).status).toBe(303);
  noteCookies(stage, visitor, 'single sign-on');
  await visitor.get(pathOf(back));
}

/** Pages are fetched over the network. */
function browserOf({ url }: Stage): Visitor {
  const network: Pick<TestApi, 'inject'> = {
    async inject({ method = 'GET', url: path, headers, payload }) {
      const answer = await fetch(`${url}${String(path)}`, {
        method,
        headers: headers as Headers,
        redirect: 'manual',
        ...(payload !== undefined && { body: String(payload) }),
      });
      const cookies = { 'set-cookie': answer.headers.getSetCookie() };
      const all = { ...Object.fromEntries(answer.headers), ...cookies };
      return { status: answer.status, headers: all, body: await answer.text() };
    },
  };
  return newVisitor(network as TestApi);
}

function noteCookies({ note }: Stage, { cookies }: Visitor, way: string): void {
  for (const [name, value] of cookies) note(`${name} of the sign-in by ${way}`, value);
  note(`csrf token of the sign-in by ${way}`, csrfTokenOf(cookies.get(SESSION_COOKIE) ?? ''));
}

function pathOf(link: string): string {
  const { pathname, search } = new URL(link);
  return pathname + search;
}

function bearer(key: string): Headers {
  return { authorization: `Bearer ${key}` };
}

function without({ 'idempotency-key': _, ...headers }: Headers): Headers {
  return headers;
}

async function call(
  { url }: Stage,
  method: string,
  path: string,
  headers: Headers,
  body?: object | string,
  status?: number,
): Promise<Record<string, string>> {
  const answer = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (status !== undefined) expect(answer.status, `${method} ${path}: ${text}`).toBe(status);
  return (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, string>;
}
