import { listMembers } from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { givenInvitations } from '../../../../test/given/invitations.ts';
import { givenPerson, givenSession, type Person } from '../../../../test/given/people.ts';
import { startApi, type TestOrg } from '../../../../test/harness.ts';
import { newVisitor, type Visitor } from '../../../../test/visitor.ts';
import { SESSION_COOKIE } from '../../../platform/http/session-cookie.ts';

const api = await startApi();
const { invited } = await givenInvitations(api);
const strangers = await api.givenOrg('strangers');
const CLOSED = 'This invitation is not open';
const ENTER_CODE = 'Enter the invitation code';

let org: TestOrg;
let email = '';
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`host-${++count}`);
  email = `visitor-${count}@example.test`;
});

async function signedIn(person: Person, onlyOrg: string | null = null): Promise<Visitor> {
  const visitor = newVisitor(api);
  const { cookie } = await givenSession(api, person, onlyOrg);
  visitor.cookies.set(SESSION_COOKIE, cookie.slice(SESSION_COOKIE.length + 1));
  return visitor;
}

const members = async () => {
  const { body } = await api.call(listMembers, { params: { org: org.name }, key: org.keys.admin });
  return body.members.filter(({ login }) => login !== `${org.name}-admin`).map(({ email, role }) => ({ email, role }));
};
const page = (id: string) => `/invitations/${id}`;
const userOf = (address: string) =>
  api.db.selectFrom('user_account').selectAll().where('email', '=', address).executeTakeFirst();
const sessionsOf = (userId: string) =>
  api.db.selectFrom('session').select(['method', 'only_org_id']).where('user_id', '=', userId).execute();

it('signs up a new person by the link in the mail, once, and lets them in', async () => {
  const { id, code, link } = await invited(org, email, 'snapshotter');
  const visitor = newVisitor(api);
  const seen = await visitor.get(link);
  expect(seen.status).toBe(200);
  for (const text of [`Join ${org.name}`, email, 'snapshotter', `${org.name}-admin`, 'Accept and sign up']) {
    expect(seen.html).toContain(text);
  }
  // Opening the page accepts nothing.
  expect(await userOf(email)).toBeUndefined();
  const done = await visitor.post(page(id), { code });
  expect(done).toMatchObject({ status: 303, location: '/' });
  expect(visitor.cookies.has(SESSION_COOKIE)).toBe(true);
  expect(await members()).toEqual([{ email, role: 'snapshotter' }]);
  const user = await userOf(email);
  expect(await sessionsOf(user?.id ?? '')).toEqual([{ method: 'link', only_org_id: null }]);
  expect((await visitor.get('/account')).status).toBe(200);

  const late = newVisitor(api);
  expect(await late.get(link)).toMatchObject({ status: 404, html: expect.stringContaining(CLOSED) });
  await late.get('/sign-in');
  expect((await late.post(page(id), { code })).html).toContain(CLOSED);
  expect(late.cookies.has(SESSION_COOKIE)).toBe(false);
});

it('makes people with an account sign in first, and then asks for no code', async () => {
  const person = await givenPerson(api, { email });
  const { id, code, link } = await invited(org, email);
  const visitor = newVisitor(api);
  const seen = await visitor.get(link);
  expect(seen.html).toContain(`href="/sign-in?next=${encodeURIComponent(page(id))}"`);
  expect(seen.html).not.toContain('<form');
  await visitor.get('/sign-in');
  expect((await visitor.post(page(id), { code })).html).toContain('Sign in to return to this page');
  expect(visitor.cookies.has(SESSION_COOKIE)).toBe(false);
  expect(await members()).toEqual([]);

  const after = await signedIn(person);
  expect((await after.get(page(id))).html).toContain(`You are signed in as ${person.login}`);
  expect(await after.post(page(id))).toMatchObject({ status: 303, location: '/' });
  expect(await members()).toEqual([{ email, role: 'member' }]);
  // Pressing the button again ends in the same place.
  expect(await after.post(page(id))).toMatchObject({ status: 303 });
});

it('asks a visitor who is signed in with another address for the code', async () => {
  const other = await givenPerson(api);
  const { id, code, link } = await invited(org, email);
  const visitor = await signedIn(other);
  const without = await visitor.get(page(id));
  expect(without.html).toContain(ENTER_CODE);
  expect(without.html).not.toContain(org.name);
  expect((await visitor.get('/account')).status).toBe(200);
  expect((await visitor.post(page(id))).html).toContain(ENTER_CODE);
  expect(await members()).toEqual([]);
  const asked = await visitor.get(link);
  expect(asked.html).toContain(`Accept as ${other.login}`);
  expect(await visitor.post(page(id), { code })).toMatchObject({ status: 303 });
  expect(await members()).toEqual([{ email: other.email, role: 'member' }]);
});

it('is not for a member who gains nothing by it: they see whom it is for, and it stays open', async () => {
  const { id, code, link } = await invited(org, email, 'reader');
  const other = await givenPerson(api, { org, role: 'reader' });
  const visitor = await signedIn(other);
  const seen = await visitor.get(link);
  expect(seen.html).toContain(
    `You are signed in as ${other.login}, who is already a member with this role or a higher one`,
  );
  expect(seen.html).toContain(`href="/sign-in?next=${encodeURIComponent(page(id))}"`);
  expect(seen.html).not.toContain('<form method="post" action="/invitations');
  await visitor.get('/account');
  expect(await visitor.post(page(id), { code })).toMatchObject({
    status: 409,
    html: expect.stringContaining('with the role reader: the invitation is for another person'),
  });
  const guest = newVisitor(api);
  await guest.get(link);
  expect(await guest.post(page(id), { code })).toMatchObject({ status: 303 });
});

it.each([
  ['reader', 'as a <strong>reader</strong>'],
  ['admin', 'as an <strong>admin</strong>'],
] as const)('invites in words: %s', async (role, words) => {
  const { link } = await invited(org, email, role);
  expect((await newVisitor(api).get(link)).html).toContain(words);
});

it('reveals nothing without the code, counts wrong ones, and is void after 5', async () => {
  const { id, link } = await invited(org, email);
  const visitor = newVisitor(api);
  for (let i = 0; i < 4; i++) {
    const wrong = await visitor.get(`${page(id)}?code=wrong-${i}`);
    expect(wrong).toMatchObject({ status: 400, html: expect.stringContaining('This is not the code from the email') });
    expect(wrong.html).not.toContain(org.name);
    expect(wrong.html).not.toContain(email);
  }
  await visitor.get('/sign-in');
  expect((await visitor.post(page(id), { code: 'wrong' })).html).toContain(CLOSED);
  expect((await visitor.get(link)).html).toContain(CLOSED);
});

it('is answered alike for what never was', async () => {
  const visitor = newVisitor(api);
  for (const id of [crypto.randomUUID(), 'none', '%27', '..%2f']) {
    expect(await visitor.get(page(id))).toMatchObject({ status: 404, html: expect.stringContaining(CLOSED) });
  }
});

it('takes forms of its own pages alone', async () => {
  const { id, code, link } = await invited(org, email);
  const visitor = newVisitor(api);
  await visitor.get(link);
  const csrf = visitor.csrf();
  const elsewhere = newVisitor(api);
  await elsewhere.get(link);
  expect((await elsewhere.post(page(id), { code, csrf })).status).toBe(403);
  expect((await visitor.post(page(id), { code, csrf: '' })).status).toBe(403);
  expect((await visitor.post(page(id), { code }, { origin: 'https://evil.test' })).status).toBe(403);
  expect((await visitor.post(page(id), { code }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect(await members()).toEqual([]);
  expect((await visitor.post(page(id), { code })).status).toBe(303);
});

it('is not for a session that is good in another org alone', async () => {
  const person = await givenPerson(api, { org: strangers, email });
  const { id, code } = await invited(org, email);
  const visitor = await signedIn(person, strangers.id);
  const shown = await visitor.get(page(id));
  expect(shown.html).toContain('Enter the invitation code');
  expect(shown.html).not.toContain(org.name);
  expect((await visitor.post(page(id), { code })).status).toBe(403);
  expect(await members()).toEqual([]);
});

it('lets one in of many who come at once with the same link', async () => {
  const { id, code, link } = await invited(org, email);
  const visitors = Array.from({ length: 5 }, () => newVisitor(api));
  await Promise.all(visitors.map((visitor) => visitor.get(link)));
  const answers = await Promise.all(visitors.map((visitor) => visitor.post(page(id), { code })));
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  expect(visitors.filter(({ cookies }) => cookies.has(SESSION_COOKIE))).toHaveLength(1);
  expect(await members()).toEqual([{ email, role: 'member' }]);
});

it('shows names as text', async () => {
  const boss = await givenPerson(api, { org, role: 'admin', displayName: '<script>alert(1)</script>' });
  const { link } = await invited({ ...org, keys: { ...org.keys, admin: boss.key } }, email);
  const { html } = await newVisitor(api).get(link);
  expect(html).not.toContain('<script');
  expect(html).toContain('&lt;script&gt;');
});
