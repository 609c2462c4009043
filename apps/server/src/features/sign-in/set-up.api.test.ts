import { getOwnSession } from '@waymark/contract';
import { beforeEach, expect, it } from 'vitest';
import { noLog, startApi } from '../../../test/harness.ts';
import { newVisitor, type Visitor } from '../../../test/visitor.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { SESSION_COOKIE } from '../../platform/http/session-cookie.ts';
import { makeSetUpToken } from './set-up.service.ts';

const api = await startApi();
const ctx = () => ({ ...systemCtx(api.db, '', 'waymark-server', noLog), now: () => api.clock.now });
const FIRST = { org: 'first-org', login: 'ada', email: 'ada@example.test', display_name: 'Ada' };
let round = 0;

/** Removes the users that the harness and earlier tests made: an installation without users. */
beforeEach(async () => {
  round++;
  await api.db.deleteFrom('set_up_link').execute();
  await api.db.deleteFrom('api_key').execute();
  await api.db.deleteFrom('session').execute();
  await api.db.deleteFrom('user_account').execute();
});

/** Orgs stay, so each test uses its own names. */
const first = (more: Partial<typeof FIRST> = {}) => ({
  ...FIRST,
  org: `${FIRST.org}-${round}`,
  login: `${FIRST.login}-${round}`,
  ...more,
});

async function open(token: string): Promise<Visitor> {
  const visitor = newVisitor(api);
  await visitor.get(`/set-up?token=${token}`);
  return visitor;
}

it('makes the first user, an org of theirs, and signs them in', async () => {
  const token = await makeSetUpToken(ctx());
  const visitor = await open(token);
  const done = await visitor.post('/set-up', { token, ...first() });
  expect(done).toMatchObject({ status: 303, location: '/' });
  const cookie = `${SESSION_COOKIE}=${visitor.cookies.get(SESSION_COOKIE)}`;
  const { body } = await api.call(getOwnSession, { key: '', headers: { cookie } });
  expect(body).toMatchObject({
    login: `ada-${round}`,
    display_name: 'Ada',
    email: 'ada@example.test',
    orgs: [
      { name: `ada-${round}`, kind: 'personal', role: 'admin' },
      { name: `first-org-${round}`, kind: 'shared', role: 'admin' },
    ],
  });
  const { method } = await api.db.selectFrom('session').select('method').executeTakeFirstOrThrow();
  expect(method).toBe('set_up');
});

it('is over with the first user, however the user came to be', async () => {
  const token = await makeSetUpToken(ctx());
  const visitor = await open(token);
  await visitor.post('/set-up', { token, ...first() });
  const again = newVisitor(api);
  expect((await again.get(`/set-up?token=${token}`)).status).toBe(404);
  expect((await again.post('/set-up', { token, ...first({ login: 'eve', org: 'evil' }) })).status).toBe(403);
  await again.get('/sign-in');
  expect((await again.post('/set-up', { token, ...first({ login: 'eve', org: 'evil' }) })).status).toBe(404);
  await expect(makeSetUpToken(ctx())).rejects.toThrow('This installation already has users');
});

it('has one winner when two come at once', async () => {
  const token = await makeSetUpToken(ctx());
  const visitors = await Promise.all(Array.from({ length: 6 }, () => open(token)));
  const outcomes = await Promise.all(
    visitors.map((visitor, i) =>
      visitor.post('/set-up', {
        token,
        ...first({ login: `racer-${i}`, org: `race-${i}`, email: `${i}@example.test` }),
      }),
    ),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404, 404, 404]);
  expect(await api.db.selectFrom('user_account').select('id').execute()).toHaveLength(1);
});

it('works for 24 hours, and only the newest link does', async () => {
  const [older, newer] = [await makeSetUpToken(ctx()), await makeSetUpToken(ctx())];
  expect((await newVisitor(api).get(`/set-up?token=${older}`)).status).toBe(404);
  expect((await newVisitor(api).get(`/set-up?token=${newer}`)).status).toBe(200);
  const visitor = await open(newer);
  api.clock.now = new Date(api.clock.now.getTime() + 24 * 3_600_000);
  expect((await visitor.get(`/set-up?token=${newer}`)).status).toBe(404);
  expect((await visitor.post('/set-up', { token: newer, ...first() })).status).toBe(404);
});

it.each(['', 'x', 'A'.repeat(43)])('is closed to a guess such as %j', async (token) => {
  await makeSetUpToken(ctx());
  const visitor = newVisitor(api);
  expect((await visitor.get(`/set-up?token=${token}`)).status).toBe(404);
  await visitor.get('/sign-in');
  expect((await visitor.post('/set-up', { token, ...first() })).status).toBe(404);
  expect((await visitor.post('/set-up', { token, org: '' })).status).toBe(404);
});

it('stores a hash alone', async () => {
  const token = await makeSetUpToken(ctx());
  expect(JSON.stringify(await api.db.selectFrom('set_up_link').selectAll().execute())).not.toContain(token);
});

it('says at the field what is wrong, keeps what was typed, and leaves the link as good as before', async () => {
  const token = await makeSetUpToken(ctx());
  const visitor = await open(token);
  const send = (fields: Partial<typeof FIRST>) => visitor.post('/set-up', { token, ...first(fields) });
  const cases: [Partial<typeof FIRST>, string][] = [
    [{ org: 'a b' }, 'Name of your org must start with a letter or digit'],
    [{ org: 'acme' }, 'Name of your org is taken: an org &#39;acme&#39; already exists'],
    [{ login: 'acme' }, 'Your login is taken: a user or an org &#39;acme&#39; already exists'],
    [{ org: 'same', login: 'same' }, 'Name of your org must differ from the login'],
    [{ email: 'nobody' }, 'Your email address must be an email address'],
    [{ email: '' }, 'Your email address must be an email address'],
  ];
  for (const [fields, text] of cases) {
    const { status, html } = await send(fields);
    expect(status).toBe(400);
    expect(html).toContain(text);
    expect(html).toContain('value="Ada"');
  }
  expect(await api.db.selectFrom('user_account').select('id').execute()).toEqual([]);
  expect((await send({})).status).toBe(303);
});

it('is refused to another site', async () => {
  const token = await makeSetUpToken(ctx());
  const visitor = await open(token);
  expect((await visitor.post('/set-up', { token, ...first() }, { origin: 'https://evil.test' })).status).toBe(403);
  expect((await visitor.post('/set-up', { token, ...first(), csrf: 'x' })).status).toBe(403);
});
