import { listFlows, putFlow } from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { givenPerson, givenSession, type Person } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';
import { newVisitor, type Visitor } from '../../../test/visitor.ts';
import { SESSION_COOKIE } from '../../platform/http/session-cookie.ts';

const api = await startApi();
let ada: Person;

beforeEach(async () => {
  ada = await givenPerson(api, { org: api.org, role: 'member', displayName: '<b>Ada</b>' });
});

async function signedIn(person: Person, onlyOrg: string | null = null): Promise<Visitor> {
  const { cookie } = await givenSession(api, person, onlyOrg);
  const visitor = newVisitor(api);
  visitor.cookies.set(SESSION_COOKIE, cookie.slice(SESSION_COOKIE.length + 1));
  await visitor.get('/account');
  return visitor;
}

function sessionIdsIn(html: string): string[] {
  return [...html.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id ?? '');
}

it('shows who one is, the orgs and the sessions, with names as text', async () => {
  const { status, html, headers } = await (await signedIn(ada)).get('/account');
  expect(status).toBe(200);
  for (const text of [ada.login, ada.email, '&lt;b&gt;Ada', 'acme', 'member', 'this session'])
    expect(html).toContain(text);
  expect(html).not.toContain('<b>Ada');
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  expect(String(headers['content-security-policy'])).toContain("default-src 'none'");
});

it('leads to the sign-in page and back who has not signed in', async () => {
  expect(await newVisitor(api).get('/account')).toMatchObject({ status: 303, location: '/sign-in?next=%2Faccount' });
  const visitor = newVisitor(api);
  await visitor.get('/sign-in');
  expect(await visitor.post('/account/end-session')).toMatchObject({ location: '/sign-in?next=%2Faccount' });
});

it('ends another session, and the own one with its cookie', async () => {
  const [here, there] = [await signedIn(ada), await signedIn(ada)];
  const [, own] = sessionIdsIn((await here.get('/account')).html);
  const [other] = sessionIdsIn((await here.get('/account')).html);
  expect(await here.post('/account/end-session', { session: other ?? '' })).toMatchObject({ location: '/account' });
  expect((await there.get('/account')).status).toBe(303);
  await here.get('/account');
  const left = await here.post('/account/end-session', { session: own ?? '' });
  expect(left).toMatchObject({ status: 303, location: '/sign-in?signed-out' });
  expect(here.cookies.has(SESSION_COOKIE)).toBe(false);
});

it('does not end the sessions of others, and ignores invalid ids', async () => {
  const [bob, visitor] = [await givenPerson(api), await signedIn(ada)];
  const theirs = await signedIn(bob);
  const [id] = sessionIdsIn((await theirs.get('/account')).html);
  await visitor.get('/account');
  for (const session of [id ?? '', 'x', '']) {
    expect(await visitor.post('/account/end-session', { session })).toMatchObject({ location: '/account' });
  }
  expect((await theirs.get('/account')).status).toBe(200);
});

it('signs out: the session is over in the database, not only in the browser', async () => {
  const visitor = await signedIn(ada);
  const cookie = visitor.cookies.get(SESSION_COOKIE) ?? '';
  const out = await visitor.post('/sign-out');
  expect(out).toMatchObject({ status: 303, location: '/sign-in?signed-out' });
  expect([out.headers['set-cookie']].flat()[0]).toBe(
    `${SESSION_COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`,
  );
  const thief = newVisitor(api);
  thief.cookies.set(SESSION_COOKIE, cookie);
  expect((await thief.get('/account')).status).toBe(303);
  expect((await visitor.get('/sign-in?signed-out')).html).toContain('You have signed out.');
  // Repeating it does no harm.
  expect((await visitor.post('/sign-out')).status).toBe(303);
});

it('does not sign out for another site', async () => {
  const visitor = await signedIn(ada);
  expect((await visitor.post('/sign-out', { csrf: '' })).status).toBe(403);
  expect((await visitor.post('/sign-out', {}, { origin: 'https://evil.test' })).status).toBe(403);
  expect((await visitor.post('/account/end-session', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await visitor.get('/account')).status).toBe(200);
});

it('lists personal keys and revokes them, once, and none of others', async () => {
  const [bob, visitor] = [await givenPerson(api), await signedIn(ada)];
  const keyIn = (html: string) => /name="key" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const theirs = keyIn((await (await signedIn(bob)).get('/account')).html);
  const own = keyIn((await visitor.get('/account')).html);
  const revoke = (key: string) => visitor.post('/account/revoke-key', { key });
  for (const id of [theirs, 'x', '']) expect((await revoke(id)).status).toBe(404);
  expect((await visitor.post('/account/revoke-key', { key: own, csrf: '' })).status).toBe(403);
  expect(await revoke(own)).toMatchObject({ status: 303, location: '/account' });
  expect((await revoke(own)).status).toBe(404);
  expect((await api.call(listFlows, { key: ada.key })).status).toBe(401);
  expect((await api.call(listFlows, { key: bob.key })).status).toBe(403);
  expect((await visitor.get('/account')).html).toContain('No personal API keys yet.');
});

it('shows in which org a session from an identity provider is valid', async () => {
  await givenSession(api, ada);
  const { html } = await (await signedIn(ada, api.org.id)).get('/account');
  expect(html).toContain('valid only in that org');
  expect(sessionIdsIn(html)).toHaveLength(1);
  expect(html).not.toContain('your own');
});

it('makes a personal key and shows it once', async () => {
  const visitor = await signedIn(ada);
  const made = await visitor.post('/account/make-key', { description: '<i>laptop</i>', days: '30' });
  const key = /wmk_e[0-9A-Za-z]{36}/.exec(made.html)?.[0] ?? '';
  expect(made).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  expect(made.html).toContain('&lt;i&gt;laptop');
  expect((await api.call(listFlows, { key })).status).toBe(200);
  expect((await visitor.get('/account')).html).not.toContain(key);
  api.clock.now = new Date(api.clock.now.getTime() + 30 * 86_400_000);
  expect((await api.call(listFlows, { key })).status).toBe(401);
});

it('makes a personal key with a scope, and shows which', async () => {
  const visitor = await signedIn(ada);
  const { html } = await visitor.post('/account/make-key', { description: 'dashboard', days: '30', scope: 'read' });
  const key = /wmk_e[0-9A-Za-z]{36}/.exec(html)?.[0] ?? '';
  expect((await api.call(listFlows, { key })).status).toBe(200);
  expect((await api.call(putFlow, { key, body: { name: 'x' } })).status).toBe(403);
  expect((await visitor.get('/account')).html).toContain('scope: read');
});

it('makes no key without a description, for days that are none, for another site, or signed out', async () => {
  const visitor = await signedIn(ada);
  for (const fields of [
    { description: '' },
    { description: 'x', days: 'soon' },
    { description: 'x', days: '-1' },
    { description: 'x', scope: 'write' },
  ]) {
    expect((await visitor.post('/account/make-key', fields)).status).toBe(400);
  }
  expect((await visitor.post('/account/make-key', { description: 'x', csrf: '' })).status).toBe(403);
  const stranger = newVisitor(api);
  await stranger.get('/sign-in');
  expect(await stranger.post('/account/make-key', { description: 'x' })).toMatchObject({ status: 303 });
});

it('makes a key that is good in one org alone when that org vouched for its owner', async () => {
  const visitor = await signedIn(ada, api.org.id);
  const { html } = await visitor.post('/account/make-key', { description: 'x', days: '' });
  const key = /wmk_e[0-9A-Za-z]{36}/.exec(html)?.[0] ?? '';
  expect((await api.call(listFlows, { key })).status).toBe(200);
  expect((await api.call(listFlows, { key, params: { org: ada.login } })).status).toBe(403);
});
