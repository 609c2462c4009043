import {
  configureScim,
  enforceSso,
  listFlows,
  listMembers,
  removeSso,
  scimCreateUser,
  scimDeleteUser,
  scimPatchUser,
} from '@waymark/contract';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { callSigned, givenPerson } from '../../../test/given/people.ts';
import { entraUser, givenScim, patchOf } from '../../../test/given/scim.ts';
import {
  comeBack,
  givenSso,
  giveSession,
  sessionOf,
  shown,
  signInThrough,
  startSignIn,
} from '../../../test/given/sso.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import type { Forgery } from '../../../test/oidc/forge.ts';
import { startProvider } from '../../../test/oidc/start-provider.ts';
import { newVisitor, type Seen, type Visitor } from '../../../test/visitor.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { BROWSER_COOKIE } from '../../platform/http/page.ts';
import { hashSecret, SESSION_COOKIE } from '../../platform/http/session-cookie.ts';
import { setMembership } from '../memberships/membership.service.ts';
import { findUserByEmail } from '../users/user.reads.ts';
import { pruneSignInAttempts } from './sign-in-attempt.tasks.ts';

const api = await startApi();
const redirectUris = ['http://waymark.test/sign-in/*/callback'];
const provider = await startProvider({ redirectUris });
const attacker = await startProvider({ redirectUris });
afterAll(() => Promise.all([provider.stop(), attacker.stop()]));
beforeEach(async () => {
  // The provider uses the real clock, and an ID token from the future is refused.
  api.clock.now = new Date(Math.max(api.clock.now.getTime(), Date.now()));
  await provider.set({ accounts: {}, forge: null, issuerParameter: null, pauseMs: 0 });
});

let count = 0;
const givenOrg = async (more = {}): Promise<TestOrg> => {
  const org = await api.givenOrg(`sso-${++count}`);
  await givenSso(api, org, provider, more);
  return org;
};
const newLogin = () => `login-${++count}`;
const userOf = (login: string) => findUserByEmail(api.db, `${login}@corp.test`);
const enter = async (visitor: Visitor, org: TestOrg) =>
  (await callSigned(api, listFlows, sessionOf(visitor), { params: { org: org.name } })).status;
const attemptsOf = async (org: TestOrg) =>
  (await api.db.selectFrom('sign_in_attempt').select('state_hash').where('org_id', '=', org.id).execute()).length;
const countAccounts = async () => (await api.db.selectFrom('user_account').select('id').execute()).length;
const isSignedIn = (visitor: Visitor) => visitor.cookies.has(SESSION_COOKIE);
const entriesOf = async (org: TestOrg) =>
  (await api.journal(org)).filter(({ type }) => /^(sso\.identity|session|membership)/.test(type)).slice(1);

function expectRefused(page: Seen, visitor: Visitor, reason: string | RegExp): void {
  expect(page.status).toBe(403);
  expect(shown(page)).toMatch(reason);
  expect(isSignedIn(visitor)).toBe(false);
}

it('signs somebody in who comes for the first time, makes an account and a reader of them', async () => {
  const [org, login, visitor] = [await givenOrg(), newLogin(), newVisitor(api)];
  const seen = await signInThrough(visitor, provider, org.name, login, '/somewhere?a=b');
  expect(seen).toMatchObject({ status: 303, location: '/somewhere?a=b' });
  expect(await enter(visitor, org)).toBe(200);
  const user = await userOf(login);
  expect(user).toMatchObject({ login, displayName: login });
  const linked = { user_id: user?.id, issuer: provider.issuer, subject: login, email: `${login}@corp.test` };
  expect(await entriesOf(org)).toEqual([
    { type: 'sso.identity_linked', subject_seq: 1, actor: 'single sign-on', payload: linked },
    {
      type: 'membership.added',
      subject_seq: 1,
      actor: 'single sign-on',
      payload: { user_id: user?.id, login, role: 'reader', source: 'app' },
    },
    {
      type: 'session.opened',
      subject_seq: 1,
      actor: login,
      payload: { user_id: user?.id, method: 'sso', only_org: org.id },
    },
  ]);
});

it('knows them again by their subject, whatever address they have by then', async () => {
  const [org, login] = [await givenOrg({ email_domains: ['corp.test'], default_role: 'member' }), newLogin()];
  await signInThrough(newVisitor(api), provider, org.name, login);
  await provider.set({ accounts: { [login]: { email: 'new@elsewhere.test', email_verified: false } } });
  const visitor = newVisitor(api);
  expect((await signInThrough(visitor, provider, org.name, login)).status).toBe(303);
  expect(await enter(visitor, org)).toBe(200);
  expect((await entriesOf(org)).map(({ type }) => type)).toEqual([
    'sso.identity_linked',
    'membership.added',
    'session.opened',
    'session.opened',
  ]);
});

it('knows a member by the address, however it is written, and leaves them their role', async () => {
  const org = await givenOrg();
  const person = await givenPerson(api, { org, role: 'admin', email: 'Grace@Corp.test' });
  const visitor = newVisitor(api);
  await provider.set({ accounts: { 'subject-of-grace': { email: 'grace@corp.TEST' } } });
  await signInThrough(visitor, provider, org.name, 'subject-of-grace');
  const answer = await api.inject({
    method: 'GET',
    url: `/organizations/${org.name}/sso`,
    headers: sessionOf(visitor),
  });
  expect(answer.status).toBe(200);
  const sessions = await api.db.selectFrom('session').select('only_org_id').where('user_id', '=', person.id).execute();
  expect(sessions).toEqual([{ only_org_id: org.id }]);
});

it('shows somebody who has an account as the identity provider named them, and not as they call themselves', async () => {
  const [org, login] = [await givenOrg(), newLogin()];
  const person = await givenPerson(api, { email: `${login}@corp.test`, displayName: 'Somebody in private' });
  await provider.set({ accounts: { [login]: { name: 'Given Family' } } });
  expect((await signInThrough(newVisitor(api), provider, org.name, login)).status).toBe(303);
  const { body } = await api.call(listMembers, { params: { org: org.name }, key: org.keys.admin });
  expect(body.members.find((member) => member.login === person.login)).toMatchObject({
    display_name: 'Given Family',
    email: `${login}@corp.test`,
  });
  expect(JSON.stringify(await api.journal(org))).not.toContain('in private');
});

it('requests claims that are missing in the ID token from the issuer', async () => {
  const secretive = await startProvider({ redirectUris, claimsFromUserInfo: true, clientSecret: 'a secret of theirs' });
  try {
    const [org, login, visitor] = [await api.givenOrg(`sso-${++count}`), newLogin(), newVisitor(api)];
    await givenSso(api, org, secretive, { client_secret: 'a secret of theirs' });
    expect((await signInThrough(visitor, secretive, org.name, login)).status).toBe(303);
    expect(await enter(visitor, org)).toBe(200);
    // Whether an address is verified is taken from where the address is.
    const unverified = newLogin();
    await secretive.set({
      accounts: { [unverified]: { email_verified: false } },
      forge: { claims: { email_verified: true } },
    });
    const doubtful = newVisitor(api);
    const refused = await signInThrough(doubtful, secretive, org.name, unverified);
    expectRefused(refused, doubtful, /did not confirm that .* is verified/);
    await secretive.set({ accounts: {}, forge: null });
    await givenSso(api, org, secretive, { client_secret: 'another' });
    const late = newVisitor(api);
    const page = await signInThrough(late, secretive, org.name, login);
    expectRefused(page, late, 'The identity provider rejected the client: check client and client secret');
  } finally {
    await secretive.stop();
  }
});

it('lets nobody into another org, nor into the personal org, who came through an identity provider', async () => {
  const [org, other, login] = [await givenOrg(), await givenOrg(), newLogin()];
  const person = await givenPerson(api, { org: other, role: 'admin', email: `${login}@corp.test` });
  const visitor = newVisitor(api);
  await signInThrough(visitor, provider, org.name, login);
  expect(await enter(visitor, org)).toBe(200);
  expect(await enter(visitor, other)).toBe(403);
  expect(await enter(visitor, { ...org, name: person.login })).toBe(403);
});

it('makes one account of two first visits at once', async () => {
  const [org, login] = [await givenOrg(), newLogin()];
  const visits = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const visitor = newVisitor(api);
      return { visitor, url: await provider.signIn(await startSignIn(visitor, org.name), login) };
    }),
  );
  const seen = await Promise.all(visits.map(({ visitor, url }) => comeBack(visitor, url)));
  expect(seen.map(({ status }) => status)).toEqual(Array(5).fill(303));
  expect((await entriesOf(org)).filter(({ type }) => type !== 'session.opened')).toHaveLength(2);
});

it('does not make members again of those who were removed', async () => {
  const [org, login, visitor] = [await givenOrg(), newLogin(), newVisitor(api)];
  await signInThrough(newVisitor(api), provider, org.name, login);
  const user = await userOf(login);
  if (!user) throw new Error('no user');
  await setMembership(systemCtx(api.db, org.id, 'tests', api.app.log), user, null, 'app');
  expectRefused(await signInThrough(visitor, provider, org.name, login), visitor, 'no longer a member of this org');
});

it('leaves membership to SCIM, where that is on', async () => {
  const [org, login] = [await givenOrg(), newLogin()];
  const scim = await givenScim(api, org);
  const body = { default_role: 'member' as const };
  expect((await api.call(configureScim, { params: { org: org.name }, key: org.keys.admin, body })).status).toBe(200);
  const refused = async (reason: string) => {
    const visitor = newVisitor(api);
    expectRefused(await signInThrough(visitor, provider, org.name, login), visitor, reason);
  };
  await refused('managed by its identity provider, which has not added you');
  expect(await userOf(login)).toBeUndefined();

  const { id } = (await scim.send(scimCreateUser, { body: entraUser(`${login}@corp.test`) })).body;
  const visitor = newVisitor(api);
  expect((await signInThrough(visitor, provider, org.name, login)).status).toBe(303);
  expect(await enter(visitor, org)).toBe(200);

  const setActive = (value: boolean) =>
    scim.send(scimPatchUser, { id, body: patchOf({ op: 'replace', path: 'active', value }) });
  expect((await setActive(false)).status).toBe(200);
  expect(await enter(visitor, org)).toBe(401);
  await refused('managed by its identity provider, and you are no longer one: it must assign you again');
  expect((await setActive(true)).status).toBe(200);
  expect(await enter(visitor, org)).toBe(401);
  expect((await signInThrough(newVisitor(api), provider, org.name, login)).status).toBe(303);
  expect((await scim.send(scimDeleteUser, { id })).status).toBe(204);
  await refused('it must assign you again');
});

it('refuses an address that is not verified, missing or of another domain', async () => {
  const org = await givenOrg({ email_domains: ['corp.test'] });
  const login = newLogin();
  const attempt = async (claims: object, reason: string | RegExp) => {
    await provider.set({ accounts: { [login]: claims as Record<string, unknown> } });
    const visitor = newVisitor(api);
    expectRefused(await signInThrough(visitor, provider, org.name, login), visitor, reason);
  };
  await attempt({ email_verified: false }, /did not confirm that .* is verified/);
  await attempt({ email_verified: 'true' }, /did not confirm that .* is verified/);
  await attempt({ email: null }, 'did not send an email address: it must release the email claim to this client');
  await attempt({ email: `${login}@evil.test` }, 'evil.test is not among the email domains of this org');
  await attempt({ email: `${login}@evil.test@corp.test` }, 'did not send an email address');
  await attempt({ email: `${login}@sub.corp.test` }, 'sub.corp.test is not among');
  expect(await entriesOf(org)).toEqual([]);
});

it('does not take one person for another who had the address before', async () => {
  const [org, login, visitor] = [await givenOrg(), newLogin(), newVisitor(api)];
  await signInThrough(newVisitor(api), provider, org.name, login);
  await provider.set({ accounts: { successor: { email: `${login}@corp.test` } } });
  expectRefused(
    await signInThrough(visitor, provider, org.name, 'successor'),
    visitor,
    `given the address ${login}@corp.test to another person`,
  );
});

it('refuses who refuses there', async () => {
  const [org, visitor] = [await givenOrg(), newVisitor(api)];
  expectRefused(
    await signInThrough(visitor, provider, org.name, 'nobody'),
    visitor,
    'The identity provider answered "access_denied"',
  );
});

const now = () => Math.floor(Date.now() / 1000);
const forgeries: [string, () => Forgery, string][] = [
  ['an unsigned ID token', () => ({ signedBy: 'nobody' }), 'format, signature, or algorithm is not accepted'],
  ['the public key as a secret', () => ({ signedBy: 'public_key' }), 'format, signature, or algorithm is not accepted'],
  ['a key that nobody published', () => ({ signedBy: 'stranger' }), 'format, signature, or algorithm is not accepted'],
  ['an unknown key id', () => ({ header: { kid: 'unknown' } }), 'a key that the issuer does not publish'],
  ['another audience', () => ({ claims: { aud: 'another' } }), 'is for another client'],
  ['more than one audience', () => ({ claims: { aud: ['waymark', 'another'] } }), 'is for another client'],
  ['another issuer', () => ({ claims: { iss: attacker.issuer } }), 'another issuer than the configured one'],
  ['another nonce', () => ({ claims: { nonce: 'another' } }), 'issued for another sign-in'],
  ['no nonce', () => ({ claims: { nonce: null } }), 'ID token is not valid'],
  ['no subject', () => ({ claims: { sub: null } }), 'ID token is not valid'],
  ['one that has expired', () => ({ claims: { exp: now() - 120 } }), 'has expired or is not valid yet'],
  ['one that is not valid yet', () => ({ claims: { nbf: now() + 120 } }), 'has expired or is not valid yet'],
  ['one from the future', () => ({ claims: { iat: now() + 600, exp: now() + 900 } }), 'issued in the future'],
  ['a subject with a line break', () => ({ claims: { sub: 'a\nb' } }), 'did not identify a person'],
];

it.each(forgeries)('does not believe %s', async (_, forge, reason) => {
  const [org, login, visitor] = [await givenOrg(), newLogin(), newVisitor(api)];
  await provider.set({ forge: forge() });
  expectRefused(await signInThrough(visitor, provider, org.name, login), visitor, reason);
  expect(await userOf(login)).toBeUndefined();
});

it('accepts the same with the right claims', async () => {
  const [org, login, visitor] = [await givenOrg(), newLogin(), newVisitor(api)];
  await provider.set({ forge: { claims: { aud: ['waymark'] } } });
  expect((await signInThrough(visitor, provider, org.name, login)).status).toBe(303);
});

it('does not send a code to another issuer than its own', async () => {
  const [org, visitor] = [await givenOrg(), newVisitor(api)];
  await provider.set({ issuerParameter: attacker.issuer });
  expectRefused(await signInThrough(visitor, provider, org.name, newLogin()), visitor, 'comes from another issuer');
  const url = new URL(await provider.signIn(await startSignIn(visitor, org.name), newLogin()));
  url.searchParams.delete('iss');
  expectRefused(await comeBack(visitor, url.href), visitor, 'not valid');
});

it('does not take the word of an identity provider about another org', async () => {
  const [org, evil] = [await givenOrg(), await api.givenOrg(`sso-${++count}`)];
  await givenSso(api, evil, attacker);
  const visitor = newVisitor(api);
  const [good, bad] = [await startSignIn(visitor, org.name), await startSignIn(visitor, evil.name)];
  const fromEvil = new URL(await attacker.signIn(bad, 'victim'));
  fromEvil.searchParams.set('state', new URL(good).searchParams.get('state') ?? '');
  expect((await comeBack(visitor, fromEvil.href)).html).toContain('was not started');
  fromEvil.pathname = `/sign-in/${org.name}/callback`;
  expectRefused(await comeBack(visitor, fromEvil.href), visitor, 'another issuer');
  fromEvil.searchParams.set('iss', provider.issuer);
  fromEvil.searchParams.set('state', new URL(await startSignIn(visitor, org.name)).searchParams.get('state') ?? '');
  expectRefused(await comeBack(visitor, fromEvil.href), visitor, 'rejected the code');
});

it('does not send a code to the identity provider of another org, also when no issuer is named', async () => {
  const [org, evil] = [await givenOrg(), await api.givenOrg(`sso-${++count}`)];
  await givenSso(api, evil, attacker);
  await provider.set({ issuerParameter: '' });
  const visitor = newVisitor(api);
  const lure = new URL(await startSignIn(visitor, evil.name));
  const own = new URL(await startSignIn(visitor, org.name));
  // The attacker has their visitors sign in at the honest provider, for the client of the other org.
  const sent = new URL(lure.search, own);
  sent.searchParams.set('redirect_uri', own.searchParams.get('redirect_uri') ?? '');
  const back = await provider.signIn(sent.href, newLogin());
  expect(new URL(back).searchParams.has('code')).toBe(true);
  const seen = await comeBack(visitor, back);
  expect(seen.status).toBe(400);
  expect(seen.html).toContain('was not started');
  expect(isSignedIn(visitor)).toBe(false);
});

it('goes on when the identity provider signs with another key', async () => {
  const [org, login] = [await givenOrg(), newLogin()];
  const signIn = async (visitor = newVisitor(api)) => (await signInThrough(visitor, provider, org.name, login)).status;
  expect(await signIn()).toBe(303);
  await provider.rollOver();
  expect(await signIn()).toBe(303);
  expect(await signIn()).toBe(303);
});

it('is good once, and in the browser it began in', async () => {
  const [org, login, visitor, victim] = [await givenOrg(), newLogin(), newVisitor(api), newVisitor(api)];
  const url = await provider.signIn(await startSignIn(visitor, org.name), login);
  await victim.get(`/sign-in/${org.name}`);
  const lured = await comeBack(victim, url);
  expect(lured.status).toBe(400);
  expect(lured.html).toContain('was not started in this browser');
  expect(isSignedIn(victim)).toBe(false);
  const stranger = await comeBack(newVisitor(api), url);
  expect(stranger.status).toBe(400);
  const browser = visitor.cookies.get(BROWSER_COOKIE) ?? '';
  expect((await comeBack(visitor, url)).status).toBe(303);
  expect((await comeBack(visitor, url)).status).toBe(400);
  visitor.cookies.set(BROWSER_COOKIE, browser);
  expect((await comeBack(visitor, url)).status).toBe(400);
  expect((await victim.get(`/sign-in/${org.name}/callback`)).status).toBe(400);
  expect((await victim.get(`/sign-in/${org.name}/callback?state=a&state=b&code=c`)).status).toBe(400);
});

it('is good once also when it comes back many times at once', async () => {
  const [org, visitor] = [await givenOrg(), newVisitor(api)];
  const url = await provider.signIn(await startSignIn(visitor, org.name), newLogin());
  const seen = await Promise.all(Array.from({ length: 6 }, () => comeBack(visitor, url)));
  expect(seen.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400, 400]);
});

it('ends after ten minutes', async () => {
  const [org, visitor] = [await givenOrg(), newVisitor(api)];
  const url = await provider.signIn(await startSignIn(visitor, org.name), newLogin());
  const before = api.clock.now;
  api.clock.now = new Date(before.getTime() + 10 * 60_000);
  try {
    expect((await comeBack(visitor, url)).status).toBe(400);
  } finally {
    api.clock.now = before;
  }
});

it('begins on a Waymark page, and not by a link from elsewhere', async () => {
  const [org, visitor] = [await givenOrg(), newVisitor(api)];
  expect(await visitor.get(`/sign-in/${org.name}/start?next=%2Fa`)).toMatchObject({
    status: 303,
    location: `/sign-in/${org.name}?next=%2Fa`,
  });
  const page = await newVisitor(api).get(`/sign-in/${org.name}`);
  const href = /href="([^"]*start[^"]*)"/.exec(page.html)?.[1] ?? '';
  expect((await visitor.get(href)).location).toBe(`/sign-in/${org.name}`);
  expect(new URL(await startSignIn(visitor, org.name)).origin).toBe(provider.issuer);
});

it('starts another session, and ends the one that was there', async () => {
  const [org, login, visitor] = [await givenOrg(), newLogin(), newVisitor(api)];
  const before = await givenPerson(api, { org });
  await giveSession(api, visitor, before);
  const planted = visitor.cookies.get(SESSION_COOKIE) ?? '';
  await signInThrough(visitor, provider, org.name, login);
  expect(visitor.cookies.get(SESSION_COOKIE)).not.toBe(planted);
  const old = await api.db
    .selectFrom('session')
    .select('revoked_at')
    .where('hash', '=', hashSecret(planted))
    .executeTakeFirst();
  expect(old?.revoked_at).not.toBeNull();
});

it.each([
  '//evil.test',
  '/\\evil.test',
  'https://evil.test',
  'javascript:alert(1)',
  '/%0d%0aa:b/../\t//evil',
  '\\evil',
])('leads nobody to %j after signing in', async (next) => {
  const [org, visitor] = [await givenOrg(), newVisitor(api)];
  const seen = await signInThrough(visitor, provider, org.name, newLogin(), next);
  expect(new URL(seen.location ?? '', 'http://waymark.test').origin).toBe('http://waymark.test');
});

it('does not distinguish an org without single sign-on from one that never existed', async () => {
  const org = await api.givenOrg(`sso-${++count}`);
  const visitor = newVisitor(api);
  for (const end of ['', '/start']) {
    const [there, absent] = [
      await visitor.get(`/sign-in/${org.name}${end}`),
      await visitor.get(`/sign-in/never-was${end}`),
    ];
    expect(there).toMatchObject({
      status: 404,
      html: expect.stringContaining('This org does not exist or has no single sign-on'),
    });
    expect(absent.html).toBe(there.html);
    expect((await visitor.get(`/sign-in/${encodeURIComponent('<x>')}${end}`)).html).toBe(there.html);
  }
});

it('goes on with the setting it began with, or not at all', async () => {
  const [org, visitor] = [await givenOrg(), newVisitor(api)];
  const url = await provider.signIn(await startSignIn(visitor, org.name), newLogin());
  await givenSso(api, org, provider, { default_role: 'member' });
  expectRefused(await comeBack(visitor, url), visitor, 'has changed: start again');
});

it('grants nothing to a sign-in in progress while admins remove it', async () => {
  const [org, login] = [await givenOrg(), newLogin()];
  await signInThrough(newVisitor(api), provider, org.name, login);
  await provider.set({ pauseMs: 1_500 });
  const visitors = [newVisitor(api), newVisitor(api)];
  const urls = await Promise.all(
    visitors.map(async (visitor, i) =>
      provider.signIn(await startSignIn(visitor, org.name), i === 0 ? login : newLogin()),
    ),
  );
  const coming = visitors.map((visitor, i) => comeBack(visitor, urls[i] ?? ''));
  await expect.poll(() => attemptsOf(org)).toBe(0);
  const accounts = await countAccounts();
  expect((await api.call(removeSso, { params: { org: org.name }, key: org.keys.admin })).status).toBe(200);
  for (const [i, visitor] of visitors.entries()) {
    const seen = await coming[i];
    if (seen) expectRefused(seen, visitor, 'has changed: start again');
  }
  expect(await countAccounts()).toBe(accounts);
});

it('keeps neither state, nonce, verifier nor code in the database', async () => {
  const [org, visitor] = [await givenOrg(), newVisitor(api)];
  const url = new URL(await startSignIn(visitor, org.name));
  const rows = await api.db.selectFrom('sign_in_attempt').selectAll().where('org_id', '=', org.id).execute();
  expect(rows).toHaveLength(1);
  const stored = JSON.stringify(rows.map((row) => Object.values(row).map(String)));
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(url.searchParams.get(name)).toHaveLength(43);
    expect(stored).not.toContain(url.searchParams.get(name));
  }
  expect(url.searchParams.get('code_challenge_method')).toBe('S256');
});

it('forgets attempts that nobody came back from', async () => {
  const [org, visitor] = [await givenOrg(), newVisitor(api)];
  const before = api.clock.now;
  api.clock.now = new Date(before.getTime() - 3_600_000);
  await startSignIn(visitor, org.name);
  api.clock.now = before;
  await startSignIn(visitor, org.name);
  await pruneSignInAttempts.run(api.db);
  const left = await api.db.selectFrom('sign_in_attempt').select('state_hash').where('org_id', '=', org.id).execute();
  expect(left).toHaveLength(1);
});

it('limits how often one address tries', async () => {
  const limited = await startApi({ signIn: { signUp: 'invited', perAddress: 3, perAccount: 3 } });
  await givenSso(limited, limited.org, provider);
  const visitor = newVisitor(limited);
  const callback = `/sign-in/${limited.org.name}/callback?state=x`;
  for (let i = 0; i < 3; i++) expect(await startSignIn(visitor, limited.org.name)).toContain(provider.issuer);
  await expect(startSignIn(visitor, limited.org.name)).resolves.toBe('');
  for (let i = 0; i < 3; i++) expect((await visitor.get(callback)).status).toBe(400);
  expect(await visitor.get(callback)).toMatchObject({
    status: 429,
    headers: { 'retry-after': '20' },
  });
});

it('is the only way in for people while it is enforced', async () => {
  const [org, login] = [await givenOrg(), newLogin()];
  const member = await givenPerson(api, { org, role: 'admin' });
  const [byLink, bySso] = [newVisitor(api), newVisitor(api)];
  await giveSession(api, byLink, member);
  await signInThrough(bySso, provider, org.name, login);
  await api.db.updateTable('org').set({ sso_enforced_at: api.clock.now }).where('id', '=', org.id).execute();
  expect(await enter(byLink, org)).toBe(403);
  expect(await enter(bySso, org)).toBe(200);
  const call = (key: string) => api.call(listFlows, { params: { org: org.name }, key });
  expect(await call(member.key)).toMatchObject({
    status: 403,
    body: { message: `This org requires single sign-on. Sign in at /sign-in/${org.name}` },
  });
  expect((await call(org.keys.reader)).status).toBe(200);
  const { status } = await api.call(enforceSso, {
    params: { org: org.name },
    key: member.key,
    body: { enforced: false },
  });
  expect(status).toBe(403);
});
