import { enforceSso, getSso, putSso, removeSso, roles, type SsoInput } from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession } from '../../../test/given/people.ts';
import { givenSso, giveSession, sessionOf, shown, startTest, testThrough } from '../../../test/given/sso.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { startProvider } from '../../../test/oidc/start-provider.ts';
import { newVisitor } from '../../../test/visitor.ts';
import { type ApiParts, buildApi } from '../../app/api.ts';
import { createGuardedFetch } from '../../platform/outbound/guarded-fetch.ts';

const api = await startApi();
const redirectUris = ['http://waymark.test/sign-in/*/callback'];
const provider = await startProvider({ redirectUris });
const other = await startProvider({ redirectUris });
afterAll(() => Promise.all([provider.stop(), other.stop()]));

let count = 0;
const givenOrg = () => api.givenOrg(`configured-${++count}`);
const config = (more: Partial<SsoInput> = {}) => ({ issuer: provider.issuer, client_id: 'waymark', ...more });
const put = (org: TestOrg, body: unknown = config(), key = org.keys.admin) =>
  api.call(putSso, { params: { org: org.name }, key, body: body as SsoInput });
const get = (org: TestOrg, key = org.keys.admin) => api.call(getSso, { params: { org: org.name }, key });
const remove = (org: TestOrg, key = org.keys.admin) => api.call(removeSso, { params: { org: org.name }, key });
const enforce = (org: TestOrg, enforced: boolean, key = org.keys.admin) =>
  api.call(enforceSso, { params: { org: org.name }, key, body: { enforced } });
const entriesOf = async (org: TestOrg) => (await api.journal(org)).filter(({ type }) => type.startsWith('sso.'));
const settingOf = (org: TestOrg) =>
  api.db.selectFrom('sso_setting').selectAll().where('org_id', '=', org.id).executeTakeFirstOrThrow();

/** An admin who has made the test, in a session that did not come from the identity provider. */
async function givenTester(org: TestOrg) {
  const login = `tester-${++count}`;
  const person = await givenPerson(api, { org, role: 'admin', login, email: `${login}@corp.test` });
  const visitor = newVisitor(api);
  await giveSession(api, visitor, person);
  const page = await testThrough(visitor, provider, org.name, login);
  return { person, visitor, page, login };
}

it('is configured, read and removed, and shows everything but the secret', async () => {
  const org = await givenOrg();
  expect(await get(org)).toMatchObject({
    status: 404,
    body: { message: 'Single sign-on is not configured for this org' },
  });
  const sent = config({
    client_secret: 'a secret text',
    email_domains: ['Corp.test', 'b.test'],
    default_role: 'member',
  });
  const shown = {
    issuer: provider.issuer,
    client_id: 'waymark',
    has_client_secret: true,
    email_domains: ['b.test', 'corp.test'],
    default_role: 'member',
    redirect_uri: `http://waymark.test/sign-in/${org.name}/callback`,
    sign_in_url: `http://waymark.test/sign-in/${org.name}`,
    configured_at: api.clock.now.getTime() / 1000,
    configured_by: `${org.name}-admin`,
    tested_at: null,
    enforced: false,
  };
  expect(await put(org, sent)).toMatchObject({ status: 200, body: shown });
  expect((await get(org)).body).toEqual(shown);
  expect((await put(org, sent)).body).toEqual(shown);
  expect((await settingOf(org)).sealed_secret).not.toContain('a secret text');
  expect(await remove(org)).toMatchObject({ status: 200, body: 'Single sign-on removed' });
  expect((await get(org)).status).toBe(404);
  expect((await remove(org)).status).toBe(404);
  expect((await put(org)).body).toMatchObject({ has_client_secret: false, email_domains: [], default_role: 'reader' });
  const entries = await entriesOf(org);
  expect(entries.map(({ type, subject_seq }) => [type, subject_seq])).toEqual([
    ['sso.configured', 1],
    ['sso.removed', 2],
    ['sso.configured', 3],
  ]);
  expect(entries[0]?.payload).toEqual({
    issuer: provider.issuer,
    client_id: 'waymark',
    has_client_secret: true,
    email_domains: ['b.test', 'corp.test'],
    default_role: 'member',
    changed_issuer: false,
  });
  expect(JSON.stringify(await api.journal(org))).not.toContain('a secret text');
});

it('keeps the secret when none is sent, for the same issuer and client only', async () => {
  const org = await givenOrg();
  await put(org, config({ client_secret: 'one' }));
  const { sealed_secret: sealed } = await settingOf(org);
  await put(org, config({ email_domains: ['corp.test'] }));
  expect((await settingOf(org)).sealed_secret).toBe(sealed);
  await put(org, config({ client_secret: 'two' }));
  expect((await settingOf(org)).sealed_secret).not.toBe(sealed);
  expect((await put(org, config({ client_secret: null }))).body).toMatchObject({ has_client_secret: false });
  await put(org, config({ client_secret: 'one' }));
  expect((await put(org, config({ client_id: 'another' }))).body).toMatchObject({ has_client_secret: false });
  await put(org, config({ client_secret: 'one' }));
  expect((await put(org, config({ issuer: other.issuer }))).body).toMatchObject({ has_client_secret: false });
});

it('records one change when the same request races with itself, and all of different ones in their order', async () => {
  const org = await givenOrg();
  const same = await Promise.all(Array.from({ length: 6 }, () => put(org, config({ client_secret: 'x' }))));
  expect(same.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(await entriesOf(org)).toHaveLength(1);
  await Promise.all(Array.from({ length: 6 }, (_, i) => put(org, config({ email_domains: [`d${i}.test`] }))));
  expect((await entriesOf(org)).map(({ subject_seq }) => subject_seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

it('is for admins of the org alone', async () => {
  const [org, stranger] = [await givenOrg(), await givenOrg()];
  await put(org);
  for (const role of roles.filter((role) => role !== 'admin')) {
    const refusal = { status: 403, body: { message: `This requires the admin role; yours is ${role}` } };
    const key = org.keys[role];
    for (const call of [put(org, config(), key), get(org, key), remove(org, key), enforce(org, true, key)]) {
      expect(await call).toMatchObject(refusal);
    }
  }
  const key = stranger.keys.admin;
  const refusal = { status: 403, body: { message: 'There is no such org, or you are not a member of it' } };
  for (const call of [put(org, config(), key), get(org, key), remove(org, key), enforce(org, true, key)]) {
    expect(await call).toMatchObject(refusal);
  }
  expect(await entriesOf(org)).toHaveLength(1);
});

it('is not for personal orgs', async () => {
  const person = await givenPerson(api);
  const answer = await api.call(putSso, { params: { org: person.login }, key: person.key, body: config() });
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('is a personal org') } });
});

it.each([
  [{ issuer: 'not a url' }, 'issuer', 'must be a URL that begins with https://'],
  [{ issuer: 'ftp://127.0.0.1' }, 'issuer', 'must be a URL that begins with https://'],
  [{ issuer: 'https://id.example.com/?a=b' }, 'issuer', 'must not have a query or a fragment'],
  [{ issuer: 'https://a:b@id.example.com' }, 'issuer', 'cannot be read: The URL contains a user name or password'],
  [{ issuer: 'http://127.0.0.1:1' }, 'issuer', 'cannot be read: 127.0.0.1 cannot be reached'],
  [{ issuer: 'http://10.0.0.1' }, 'issuer', 'cannot be read: 10.0.0.1 must be called with https://'],
  [{ issuer: 'http://169.254.169.254/latest' }, 'issuer', 'cannot be read: 169.254.169.254 '],
  [{ issuer: '' }, 'issuer', 'must be a URL'],
  [{ client_id: '' }, 'client_id', 'must be at least 1 character long'],
  [{ client_id: 'a\u0000' }, 'client_id', 'must not contain U+0000'],
  [{ client_secret: '' }, 'client_secret', 'must be at least 1 character long'],
  [{ email_domains: ['@corp.test'] }, 'email_domains.0', 'must be a domain such as example.com'],
  [{ email_domains: ['corp'] }, 'email_domains.0', 'must be a domain such as example.com'],
  [{ default_role: 'admin' }, 'default_role', 'must be one of reader, snapshotter, member'],
  [{ role: 'admin' }, 'role', 'is unknown'],
])('refuses %j', async (wrong, field, reason) => {
  const org = await givenOrg();
  const answer = await put(org, { ...config(), ...wrong });
  expect(answer).toMatchObject({ status: 400, body: { errors: { [field]: expect.stringContaining(reason) } } });
  expect(await entriesOf(org)).toEqual([]);
});

it('reads the issuer, and reports when there is none or another', async () => {
  const org = await givenOrg();
  for (const [issuer, reason] of [
    [`${provider.issuer}/nothing`, 'cannot be read: no OpenID Connect configuration found'],
    [
      provider.issuer.replace('127.0.0.1', 'localhost'),
      'cannot be read: its published configuration is for another issuer',
    ],
    [`${provider.issuer}/.well-known/openid-configuration`, 'must be the issuer itself, without /.well-known/'],
  ]) {
    expect(await put(org, config({ issuer: issuer ?? '' }))).toMatchObject({
      status: 400,
      body: { errors: { issuer: expect.stringContaining(reason ?? '') } },
    });
  }
  expect((await put(org, config({ issuer: `${provider.issuer}/` }))).body).toMatchObject({ issuer: provider.issuer });
});

/** The same database behind a server with other settings. */
function withParts(parts: Partial<ApiParts>) {
  const { app } = { app: buildApi({ ...api.parts, ...parts }, api.listeners) };
  afterAll(() => app.http.close());
  return (org: TestOrg, body: object) =>
    app.http.inject({
      method: 'PUT',
      url: `/api/v2/organizations/${org.name}/sso`,
      headers: { authorization: `Bearer ${org.keys.admin}` },
      payload: body,
    });
}

it('calls nothing inside, unless the operator permits the network', async () => {
  const strict = withParts({ outbound: createGuardedFetch({ allowedNetworks: [] }) });
  const org = await givenOrg();
  for (const issuer of [
    provider.issuer,
    'https://127.0.0.1',
    'https://169.254.169.254',
    'https://metadata.google.internal',
  ]) {
    const answer = await strict(org, config({ issuer }));
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: { issuer: expect.stringMatching(/^cannot be read: /) } });
  }
});

it('says what the operator has to do where no secret can be stored', async () => {
  const bare = withParts({ secretBox: undefined });
  const org = await givenOrg();
  const answer = await bare(org, config({ client_secret: 'x' }));
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({
    errors: { client_secret: expect.stringContaining('this installation has no WAYMARK_SECRET_KEY') },
  });
  expect((await bare(org, config())).statusCode).toBe(200);
});

it('is tested by an admin, shows the claims, and signs nobody in', async () => {
  const org = await givenOrg();
  await put(org);
  const { page, visitor, login } = await givenTester(org);
  expect(page.status).toBe(200);
  for (const text of ['The test succeeded', `${login}@corp.test`, `<code>${login}</code>`, '<dd>yes</dd>']) {
    expect(page.html).toContain(text);
  }
  expect(page.headers['set-cookie']).toBeUndefined();
  expect((await get(org)).body).toMatchObject({ tested_at: api.clock.now.getTime() / 1000 });
  expect(await api.db.selectFrom('sso_identity').select('id').where('org_id', '=', org.id).execute()).toEqual([]);
  await put(org, config({ email_domains: ['corp.test'] }));
  expect((await get(org)).body).toMatchObject({ tested_at: null });
  expect((await testThrough(visitor, provider, org.name, login)).status).toBe(200);
});

it('counts a test as failed that would let in somebody else, or nobody', async () => {
  const org = await givenOrg();
  await put(org, config({ email_domains: ['corp.test'] }));
  const { visitor, login } = await givenTester(org);
  await put(org, config({ email_domains: ['corp.test', 'b.test'] }));
  const stranger = await testThrough(visitor, provider, org.name, 'stranger');
  expect(stranger.status).toBe(403);
  expect(shown(stranger)).toContain('Your account has a different address than stranger@corp.test');
  await provider.set({ accounts: { [login]: { email_verified: false } } });
  expect(shown(await testThrough(visitor, provider, org.name, login))).toContain('is verified');
  await provider.set({ accounts: {}, forge: { signedBy: 'stranger' } });
  expect((await testThrough(visitor, provider, org.name, login)).status).toBe(403);
  await provider.set({ forge: null });
  expect((await get(org)).body).toMatchObject({ tested_at: null });
});

it('does not count a test whose admin has left, or signed out, meanwhile', async () => {
  const org = await givenOrg();
  await put(org);
  const { visitor, login, person } = await givenTester(org);
  await put(org, config({ default_role: 'member' }));
  const url = new URL(await provider.signIn(await startTest(visitor, org.name), login));
  await giveSession(api, visitor, person);
  expect((await visitor.get(url.pathname + url.search)).status).toBe(403);
  const again = new URL(await provider.signIn(await startTest(visitor, org.name), login));
  await api.db
    .updateTable('membership')
    .set({ role: 'member' })
    .where('org_id', '=', org.id)
    .where('user_id', '=', person.id)
    .execute();
  expect((await visitor.get(again.pathname + again.search)).status).toBe(403);
  expect((await get(org)).body).toMatchObject({ tested_at: null });
});

it('is enforced by who has tested it, and released again', async () => {
  const org = await givenOrg();
  expect((await enforce(org, true)).status).toBe(404);
  await put(org);
  const untested = { status: 409, body: { message: expect.stringMatching(/^Test it first/) } };
  expect(await enforce(org, true)).toMatchObject(untested);
  const { person } = await givenTester(org);
  expect(await enforce(org, true)).toMatchObject(untested);
  expect(await enforce(org, true, person.key)).toMatchObject({ status: 200, body: { enforced: true } });
  expect((await enforce(org, true, person.key)).status).toBe(403);

  const inside = await givenSession(api, person, org.id);
  const call = (body: { enforced: boolean }) =>
    callSigned(api, enforceSso, inside, { params: { org: org.name }, body });
  expect(await call({ enforced: true })).toMatchObject({ status: 200, body: { enforced: true } });
  const change = (body: SsoInput) => callSigned(api, putSso, inside, { params: { org: org.name }, body });
  const reason = 'cannot be changed while single sign-on is enforced: stop enforcing it first';
  expect(await change(config({ issuer: other.issuer }))).toMatchObject({
    status: 400,
    body: { errors: { issuer: reason } },
  });
  expect(await change(config({ client_id: 'x' }))).toMatchObject({
    status: 400,
    body: { errors: { client_id: reason } },
  });
  expect(await change(config({ client_secret: 'next' }))).toMatchObject({ status: 200, body: { enforced: true } });
  expect(await callSigned(api, removeSso, inside, { params: { org: org.name } })).toMatchObject({
    status: 409,
    body: { message: 'Single sign-on is enforced: stop enforcing it before you remove it' },
  });
  expect(await call({ enforced: false })).toMatchObject({ status: 200, body: { enforced: false } });
  expect((await call({ enforced: false })).status).toBe(200);
  expect((await entriesOf(org)).map(({ type, subject_seq }) => [type, subject_seq])).toEqual([
    ['sso.configured', 1],
    ['sso.enforced', 2],
    ['sso.configured', 3],
    ['sso.released', 4],
  ]);
});

it('has to be tested again after it was released', async () => {
  const org = await givenOrg();
  await put(org);
  const { person } = await givenTester(org);
  const inside = await givenSession(api, person, org.id);
  const call = (enforced: boolean) =>
    callSigned(api, enforceSso, inside, { params: { org: org.name }, body: { enforced } });
  expect((await call(true)).status).toBe(200);
  expect((await call(false)).status).toBe(200);
  expect((await get(org)).body).toMatchObject({ enforced: false, tested_at: null });
  expect(await call(true)).toMatchObject({ status: 409, body: { message: expect.stringMatching(/^Test it first/) } });
});

it('records one enforcement when several race', async () => {
  const org = await givenOrg();
  await put(org);
  const { person } = await givenTester(org);
  const inside = await givenSession(api, person, org.id);
  const call = () => callSigned(api, enforceSso, inside, { params: { org: org.name }, body: { enforced: true } });
  const answers = await Promise.all(Array.from({ length: 6 }, call));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect((await entriesOf(org)).filter(({ type }) => type === 'sso.enforced')).toHaveLength(1);
});

it('returns the first response to a repeat with the same Idempotency-Key, and changes nothing', async () => {
  const org = await givenOrg();
  await put(org);
  const { person } = await givenTester(org);
  const inside = await givenSession(api, person, org.id);
  const send = (key: string, enforced: boolean) => {
    const signed = { ...inside, 'idempotency-key': key };
    return callSigned(api, enforceSso, signed, { params: { org: org.name }, body: { enforced } });
  };
  const first = await send('shut', true);
  expect(first).toMatchObject({ status: 200, body: { enforced: true } });
  expect(await send('shut', false)).toMatchObject({
    status: 400,
    body: { errors: { 'Idempotency-Key': 'was already used for another request' } },
  });
  expect((await send('open', false)).status).toBe(200);
  expect(await send('shut', true)).toMatchObject({ status: 200, body: first.body });
  expect((await get(org)).body).toMatchObject({ enforced: false });
  expect((await entriesOf(org)).map(({ type }) => type)).toEqual(['sso.configured', 'sso.enforced', 'sso.released']);
});

it('ends what came from it when it is removed, or when there is another issuer', async () => {
  const org = await givenOrg();
  const person = await givenPerson(api, { org, role: 'admin' });
  const ways: [string, () => Promise<unknown>][] = [
    ['another issuer', () => put(org, config({ issuer: other.issuer }))],
    ['removal', () => remove(org)],
  ];
  for (const [, end] of ways) {
    await put(org);
    const [inside, outside] = [await givenSession(api, person, org.id), await givenSession(api, person)];
    const status = async (signed: typeof inside) =>
      (await callSigned(api, getSso, signed, { params: { org: org.name } })).status;
    expect(await status(inside)).toBe(200);
    await end();
    expect(await status(inside)).toBe(401);
    expect(await status(outside)).not.toBe(401);
  }
});

it('has a page for admins, to configure, enforce, release and remove it', async () => {
  const org = await givenOrg();
  const url = `/organizations/${org.name}/sso`;
  const visitor = newVisitor(api);
  expect(await visitor.get(url)).toMatchObject({
    status: 303,
    location: `/sign-in?next=${encodeURIComponent(url)}`,
  });
  const login = `admin-${++count}`;
  const person = await givenPerson(api, { org, role: 'admin', login, email: `${login}@corp.test` });
  await giveSession(api, visitor, person);
  expect((await visitor.get(url)).html).toContain(`http://waymark.test/sign-in/${org.name}/callback`);
  const fields = {
    issuer: `${provider.issuer}/nothing`,
    client_id: 'waymark',
    email_domains: 'corp.test, b.test',
    default_role: 'member',
  };
  const refused = await visitor.post(url, fields);
  expect(refused.status).toBe(400);
  expect(refused.html).toContain(`value="${provider.issuer}/nothing"`);
  expect(refused.html).toContain('The issuer cannot be read: no OpenID Connect configuration found');
  expect(
    (await visitor.post(url, { ...fields, issuer: provider.issuer, client_secret: 'not-to-be-seen' })).html,
  ).toContain('Saved');
  expect((await get(org)).body).toMatchObject({ email_domains: ['b.test', 'corp.test'], has_client_secret: true });
  expect((await visitor.get(url)).html).not.toContain('not-to-be-seen');
  expect((await visitor.post(`${url}/enforce`, { enforced: 'true' })).status).toBe(409);
  await put(org, config({ client_secret: null }));
  await testThrough(visitor, provider, org.name, login);
  await visitor.get(url);
  expect(await visitor.post(`${url}/enforce`, { enforced: 'true' })).toMatchObject({
    status: 303,
    location: `/sign-in/${org.name}?next=${encodeURIComponent(url)}`,
  });
  expect((await visitor.get(url)).status).toBe(403);
  await giveSession(api, visitor, person, org.id);
  expect((await visitor.get(url)).html).toContain('Stop enforcing');
  expect(await visitor.post(`${url}/enforce`, { enforced: 'false' })).toMatchObject({ status: 303, location: url });
  await visitor.get(url);
  expect(await visitor.post(`${url}/remove`)).toMatchObject({ status: 303 });
  expect((await get(org)).status).toBe(404);
});

it('takes nothing from a page of others, and shows the settings to no others', async () => {
  const [org, stranger] = [await givenOrg(), await givenOrg()];
  await givenSso(api, org, provider);
  const url = `/organizations/${org.name}/sso`;
  const admin = newVisitor(api);
  await giveSession(api, admin, await givenPerson(api, { org, role: 'admin' }));
  for (const [path, fields] of [
    [url, { issuer: provider.issuer, client_id: 'waymark' }],
    [`${url}/enforce`, { enforced: 'true' }],
    [`${url}/remove`, {}],
  ] as const) {
    expect((await admin.post(path, { ...fields, csrf: 'wrong' })).status).toBe(403);
    expect((await admin.post(path, fields, { origin: 'https://evil.test' })).status).toBe(403);
  }
  expect(await admin.get(`${url}/test`)).toMatchObject({ status: 303, location: url });
  for (const person of [
    await givenPerson(api, { org, role: 'member' }),
    await givenPerson(api, { org: stranger, role: 'admin' }),
  ]) {
    const visitor = newVisitor(api);
    await giveSession(api, visitor, person);
    for (const path of [url, `${url}/test`]) expect((await visitor.get(path)).status).toBe(403);
    await visitor.get(`/sign-in/${org.name}`);
    expect((await visitor.post(`${url}/remove`)).status).toBe(403);
  }
  const elsewhere = newVisitor(api);
  await giveSession(api, elsewhere, await givenPerson(api, { org, role: 'admin' }), stranger.id);
  expect((await elsewhere.get(url)).status).toBe(403);
  expect(sessionOf(elsewhere).cookie).not.toBe('');
  expect(await entriesOf(org)).toHaveLength(1);
});
