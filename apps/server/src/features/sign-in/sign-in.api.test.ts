import { expect, it } from 'vitest';
import { givenPerson } from '../../../test/given/people.ts';
import { noLog, startApi } from '../../../test/harness.ts';
import { linkIn, startMailServer } from '../../../test/mail-server.ts';
import { newVisitor, type Visitor } from '../../../test/visitor.ts';
import { mailKinds } from '../../app/worker.ts';
import { SESSION_COOKIE } from '../../platform/http/session-cookie.ts';
import { NO_QUOTA } from '../../platform/http/storage-quota.ts';
import { openMailer } from '../../platform/mail/mailer.ts';
import { sendDueMails } from '../../platform/mail/outbox.ts';

const api = await startApi();
const mails = await startMailServer();
const mailer = openMailer({ url: mails.url, from: 'Waymark <waymark@waymark.test>' });
const kinds = mailKinds({ publicUrl: 'http://waymark.test', signUp: 'invited', storageQuota: NO_QUOTA });
const ada = await givenPerson(api, { login: 'ada', email: 'Ada@example.test' });

const later = (ms: number) => {
  api.clock.now = new Date(api.clock.now.getTime() + ms);
};
const deliver = () => sendDueMails({ db: api.db, mailer, kinds, log: noLog, now: () => api.clock.now });

async function ask(visitor: Visitor, email: string, next?: string) {
  await visitor.get('/sign-in');
  return visitor.post('/sign-in', { email, ...(next !== undefined && { next }) });
}

/** The path of the link that the worker sent. */
async function linkFor(visitor: Visitor, email = 'Ada@example.test', next?: string): Promise<string> {
  expect((await ask(visitor, email, next)).status).toBe(200);
  mails.received.length = 0;
  await deliver();
  const url = new URL(linkIn(await mails.mailTo(email)));
  return url.pathname + url.search;
}

function tokenOf(link: string): string {
  return new URLSearchParams(link.split('?')[1]).get('token') ?? '';
}

async function follow(visitor: Visitor, link: string) {
  expect(await visitor.get(link)).toMatchObject({ status: 200 });
  return visitor.post('/sign-in/link', { token: tokenOf(link) });
}

async function sessionsOf(userId: string): Promise<number> {
  const rows = await api.db.selectFrom('session').select('id').where('user_id', '=', userId).execute();
  return rows.length;
}

it('signs in by a link that was sent by mail, and records it in the journal', async () => {
  const visitor = newVisitor(api);
  expect((await ask(visitor, 'ada@example.TEST')).html).toContain('If <strong>ada@example.TEST</strong> can sign in');
  await deliver();
  const mail = await mails.mailTo('Ada@example.test');
  expect(mail).toMatchObject({ subject: 'Sign in to Waymark', from: { address: 'waymark@waymark.test' } });
  expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  expect(mail.html).toContain(linkIn(mail));

  const before = visitor.cookies.get('__Host-waymark-browser');
  const done = await follow(visitor, linkIn(mail).replace('http://waymark.test', ''));
  expect(done).toMatchObject({ status: 303, location: '/' });
  const set = [done.headers['set-cookie']].flat().map(String);
  expect(set[0]).toMatch(/^__Host-waymark=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=604800$/);
  expect(visitor.cookies.get('__Host-waymark-browser')).not.toBe(before);
  expect((await visitor.get('/account')).html).toContain('<dd>ada</dd>');

  const entries = await api.journal({ id: ada.personalOrg, name: 'ada', keys: api.org.keys });
  expect(entries.at(-1)).toEqual({
    type: 'session.opened',
    subject_seq: 1,
    payload: { user_id: ada.id, method: 'link', only_org: null },
    actor: 'ada',
  });
});

it('keeps the secrets of links to the mail: the database has their hashes alone', async () => {
  const link = await linkFor(newVisitor(api));
  const rows = await api.db.selectFrom('sign_in_link').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(tokenOf(link));
  expect(JSON.stringify(await api.db.selectFrom('mail').selectAll().execute())).not.toContain(tokenOf(link));
});

it('answers and writes the same for an unknown address, and sends nothing', async () => {
  const submit = async (email: string) => {
    const before = await counts();
    const { status, html, headers } = await ask(newVisitor(api), email);
    const after = await counts();
    const grown = after.map((count, index) => count - (before[index] ?? 0));
    return { status, html: html.replaceAll(email, '…'), names: Object.keys(headers).sort(), grown };
  };
  const counts = async () => [
    (await api.db.selectFrom('sign_in_link').select('id').execute()).length,
    (await api.db.selectFrom('mail').select('id').execute()).length,
  ];
  const known = await submit('ada@example.test');
  expect(await submit('eve@example.test')).toEqual(known);
  expect(known.grown).toEqual([1, 1]);
  mails.received.length = 0;
  expect(await deliver()).toBe(2);
  expect(mails.received.map(({ to }) => to)).toEqual([['Ada@example.test']]);
});

it.each([
  '',
  'ada',
  'ada@',
  'a b@example.test',
  'ada@example.test,eve@example.test',
  'Ada <ada@example.test>',
  '"a"@b',
])('refuses %j as an address', async (email) => {
  const { status, html } = await ask(newVisitor(api), email);
  expect(status).toBe(400);
  expect(html).toContain('This is not an email address');
});

it('shows what was typed as text', async () => {
  const { html } = await ask(newVisitor(api), '"><script>x</script>');
  expect(html).not.toContain('<script>');
});

it('works once, also when it is followed many times at once', async () => {
  const visitor = newVisitor(api);
  const link = await linkFor(visitor);
  const before = await sessionsOf(ada.id);
  await visitor.get(link);
  const fields = { csrf: visitor.csrf(), token: tokenOf(link) };
  const cookies = new Map(visitor.cookies);
  const twin = () => {
    const one = newVisitor(api);
    for (const [name, value] of cookies) one.cookies.set(name, value);
    return one.post('/sign-in/link', fields);
  };
  const outcomes = await Promise.all(Array.from({ length: 8 }, twin));
  expect(outcomes.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(410)]);
  expect(await sessionsOf(ada.id)).toBe(before + 1);
  const again = await newVisitorWith(cookies).get(link);
  expect(again.status).toBe(410);
  expect(again.html).toContain('this one was already used');
});

function newVisitorWith(cookies: ReadonlyMap<string, string>): Visitor {
  const visitor = newVisitor(api);
  for (const [name, value] of cookies) visitor.cookies.set(name, value);
  return visitor;
}

it('is not used up by opening it, as mail scanners do', async () => {
  const visitor = newVisitor(api);
  const link = await linkFor(visitor);
  const scanner = newVisitor(api);
  for (let i = 0; i < 3; i++) expect((await scanner.get(link)).status).toBe(403);
  expect(await follow(visitor, link)).toMatchObject({ status: 303 });
});

it('works only in the browser that asked, and stays good there', async () => {
  const [asker, other] = [newVisitor(api), newVisitor(api)];
  const link = await linkFor(asker);
  const before = await sessionsOf(ada.id);
  const opened = await other.get(link);
  expect(opened.status).toBe(403);
  expect(opened.html).toContain('only in the browser in which it was requested');
  await other.get('/sign-in');
  const forced = await other.post('/sign-in/link', { token: tokenOf(link) });
  expect(forced.status).toBe(403);
  expect(other.cookies.has(SESSION_COOKIE)).toBe(false);
  expect(await sessionsOf(ada.id)).toBe(before);
  expect(await follow(asker, link)).toMatchObject({ status: 303 });
});

it('works for 10 minutes', async () => {
  const visitor = newVisitor(api);
  const link = await linkFor(visitor);
  later(10 * 60_000 - 1);
  expect((await visitor.get(link)).status).toBe(200);
  later(1);
  const opened = await visitor.get(link);
  expect(opened.status).toBe(410);
  expect(opened.html).toContain('works for 10 minutes');
  expect((await visitor.post('/sign-in/link', { token: tokenOf(link) })).status).toBe(410);
});

it.each(['', 'x', 'A'.repeat(43), "' or true --", '\u{1F600}'])('knows no link %j', async (token) => {
  const visitor = newVisitor(api);
  await visitor.get('/sign-in');
  expect((await visitor.get(`/sign-in/link?token=${encodeURIComponent(token)}`)).status).toBe(404);
  expect((await visitor.post('/sign-in/link', { token })).status).toBe(404);
});

it('is not known before it was sent, although it was asked for', async () => {
  const visitor = newVisitor(api);
  await ask(visitor, 'ada@example.test');
  const row = await api.db.selectFrom('sign_in_link').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
  expect(row.hashes).toEqual([]);
  expect((await visitor.post('/sign-in/link', { token: row.id })).status).toBe(404);
  await deliver();
});

it('does not sign in an address whose account is gone', async () => {
  const bob = await givenPerson(api, { login: 'bob', email: 'bob@example.test' });
  const visitor = newVisitor(api);
  const link = await linkFor(visitor, 'bob@example.test');
  await api.db.updateTable('user_account').set({ email: null }).where('id', '=', bob.id).execute();
  expect((await follow(visitor, link)).status).toBe(404);
  expect(await sessionsOf(bob.id)).toBe(0);
});

it('leads on to where somebody wanted to go', async () => {
  const visitor = newVisitor(api);
  const link = await linkFor(visitor, 'Ada@example.test', '/organizations/acme/sso?tab=1');
  expect(await follow(visitor, link)).toMatchObject({ location: '/organizations/acme/sso?tab=1' });
});

const ELSEWHERE = [
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '\\/evil.test',
  '/\t/evil.test',
  '\t//evil.test',
  'https://evil.test',
  'https:evil.test',
  'javascript:alert(1)',
  'data:text/html,x',
  '/.//evil.test',
  '/..//evil.test',
  '/a/../..//evil.test',
  '/\r\nlocation: https://evil.test',
  ' //evil.test',
  'evil.test',
  '@evil.test',
  '.evil.test',
  '',
];

it.each([...ELSEWHERE, '/%2f%2fevil.test', '/%5cevil.test', '/%09/evil.test'])(
  'never leads to another site: next=%j',
  async (next) => {
    const visitor = newVisitor(api);
    const link = await linkFor(visitor, 'Ada@example.test', next);
    const { location = 'none' } = await follow(visitor, link);
    expect(location.startsWith('/')).toBe(true);
    expect(new URL(location, 'https://waymark.test').origin).toBe('https://waymark.test');
    if (ELSEWHERE.includes(next)) expect(location).toBe('/');
    const page = await newVisitor(api).get(`/sign-in?next=${encodeURIComponent(next)}`);
    if (ELSEWHERE.includes(next)) expect(page.html).not.toContain('name="next"');
  },
);

it('leads to the page of an org, and to nothing that is no name of one', async () => {
  const visitor = newVisitor(api);
  expect(await visitor.get('/sign-in?org=acme')).toMatchObject({ status: 303, location: '/sign-in/acme' });
  expect(await visitor.get('/sign-in?org=acme&next=/account')).toMatchObject({
    location: '/sign-in/acme?next=%2Faccount',
  });
  for (const org of ['..', '/evil.test', '//evil.test', 'a b', '<b>'])
    expect((await visitor.get(`/sign-in?org=${encodeURIComponent(org)}`)).status).toBe(400);
});

it('refuses what another site has a browser send, so that nobody is signed in as somebody else', async () => {
  const visitor = newVisitor(api);
  const link = await linkFor(visitor);
  await visitor.get(link);
  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    visitor.post('/sign-in/link', { token: tokenOf(link), ...fields }, headers);
  const attempts = [
    await send({}, { origin: 'https://evil.test' }),
    await send({}, { origin: 'null' }),
    await send({}, { 'sec-fetch-site': 'cross-site' }),
    await send({}, { 'sec-fetch-site': 'same-site' }),
    await send({ csrf: '' }),
    await send({ csrf: await csrfOfAnother() }),
  ];
  expect(attempts.map(({ status }) => status)).toEqual(Array(6).fill(403));
  expect(visitor.cookies.has(SESSION_COOKIE)).toBe(false);
  expect(await send({}, { origin: 'http://waymark.test', 'sec-fetch-site': 'same-origin' })).toMatchObject({
    status: 303,
  });
});

/** What an attacker can get: a valid CSRF token of their own browser. */
async function csrfOfAnother(): Promise<string> {
  const attacker = newVisitor(api);
  await attacker.get('/sign-in');
  return attacker.csrf();
}

it('refuses to ask for a link from another site', async () => {
  const visitor = newVisitor(api);
  await visitor.get('/sign-in');
  const sent = await visitor.post('/sign-in', { email: 'ada@example.test' }, { origin: 'https://evil.test' });
  expect(sent.status).toBe(403);
  expect((await visitor.post('/sign-in', { email: 'ada@example.test', csrf: 'x' })).status).toBe(403);
});

it('gives a new cookie whatever the browser had, so that nobody can plant one', async () => {
  const visitor = newVisitor(api);
  visitor.cookies.set(SESSION_COOKIE, 'planted-by-an-attacker');
  expect(await follow(visitor, await linkFor(visitor))).toMatchObject({ status: 303 });
  const first = visitor.cookies.get(SESSION_COOKIE);
  expect(first).not.toBe('planted-by-an-attacker');
  // Signing in again does not continue the earlier session.
  expect(await follow(visitor, await linkFor(visitor))).toMatchObject({ status: 303 });
  expect(visitor.cookies.get(SESSION_COOKIE)).not.toBe(first);
  const old = newVisitor(api);
  old.cookies.set(SESSION_COOKIE, first ?? '');
  expect(await old.get('/account')).toMatchObject({ status: 303, location: '/sign-in?next=%2Faccount' });
});

it('takes a form from before somebody signed in for nothing after', async () => {
  const visitor = newVisitor(api);
  const link = await linkFor(visitor);
  await visitor.get('/sign-in');
  const stale = visitor.csrf();
  await follow(visitor, link);
  expect((await visitor.post('/sign-out', { csrf: stale })).status).toBe(403);
  expect((await visitor.get('/account')).status).toBe(200);
});
