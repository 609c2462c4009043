import { changeMember, getMembershipAuditLog, type Role, removeMember } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession, type Person } from '../../../test/given/people.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { setMemberships } from './many-members.service.ts';
import type { MemberSource } from './membership.entries.ts';
import { setMembership } from './membership.service.ts';

const api = await startApi();
const strangers = await api.givenOrg('strangers');

let org: TestOrg;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`logged-${++count}`);
  // Given orgs are created by the real clock.
  api.clock.now = new Date(Date.now() + 10_000 + count);
});

type Query = Record<string, string | string[]>;
const call = (query: Query = {}, key = org.keys.admin) =>
  api.call(getMembershipAuditLog, { params: { org: org.name }, key, query });
const log = async (query: Query = {}) => (await call(query)).body;
const events = async (query: Query = {}) => (await log(query)).events;
const seconds = () => api.clock.now.getTime() / 1000;
const later = () => {
  api.clock.now = new Date(api.clock.now.getTime() + 1000);
};
const set = (person: Person, role: Role | null, source: MemberSource, by = 'tests') => {
  const ctx = { ...systemCtx(api.db, org.id, by, noLog), now: () => api.clock.now };
  return setMembership(ctx, person, role, source);
};

it('lists who became, changed and ceased to be a member, newest first', async () => {
  const boss = await givenPerson(api, { org, role: 'admin', displayName: 'The Boss' });
  const ada = await givenPerson(api, { org, role: 'reader', displayName: 'Ada' });
  const params = { org: org.name, login: ada.login };
  later();
  await api.call(changeMember, { params, key: boss.key, body: { role: 'member' } });
  later();
  await api.call(removeMember, { params, key: org.keys.admin });
  const expected = { id: expect.any(String), user: 'Ada', user_login: ada.login };
  const log = await events();
  expect(log).toHaveLength(5);
  expect(log.slice(0, 3)).toEqual([
    {
      ...expected,
      event_type: 'removed',
      changed_by: `${org.name}-admin`,
      role: '',
      previous_role: 'member',
      source: 'app',
      created_at: seconds(),
    },
    {
      ...expected,
      event_type: 'changed',
      changed_by: 'The Boss',
      role: 'member',
      previous_role: 'reader',
      source: 'app',
      created_at: seconds() - 1,
    },
    {
      ...expected,
      event_type: 'added',
      changed_by: 'tests',
      role: 'reader',
      previous_role: '',
      source: 'script',
      created_at: seconds() - 2,
    },
  ]);
});

it('keeps the names of the time, and uses the login where there is no other', async () => {
  const ada = await givenPerson(api, { org });
  expect((await events())[0]).toMatchObject({ user: ada.login, user_login: ada.login });
  await api.db.updateTable('user_account').set({ display_name: 'Ada II' }).where('id', '=', ada.id).execute();
  expect((await events())[0]).toMatchObject({ user: ada.login });
});

describe('with members of many kinds', () => {
  let [ada, bob] = [] as unknown as [Person, Person];
  const start = () => seconds() - 3;
  beforeEach(async () => {
    ada = await givenPerson(api, { login: `ada-${count}`, displayName: 'Ada_50%' });
    bob = await givenPerson(api, { login: `bob-${count}`, displayName: 'ÄRGER \\ <b>' });
    await set(ada, 'reader', 'app');
    later();
    await set(bob, 'member', 'scim', 'Okta');
    later();
    await set(ada, 'admin', 'invitation', 'Ada_50%');
    later();
    await set(bob, null, 'script');
  });
  const listed = async (query: Query) =>
    (await events({ from_timestamp: String(start()), ...query })).map(
      ({ user_login, event_type }) => `${user_login.split('-')[0]} ${event_type}`,
    );

  it('filters by what happened, by role, by source, by time, and by all of them', async () => {
    expect(await listed({ event_type: 'changed' })).toEqual(['ada changed']);
    expect(await listed({ event_type: '' })).toHaveLength(4);
    expect(await listed({ role: 'admin' })).toEqual(['ada changed']);
    expect(await listed({ role: ['admin', 'member'] })).toEqual(['ada changed', 'bob added']);
    expect(await listed({ source: 'scim' })).toEqual(['bob added']);
    expect(await listed({ source: ['app', 'script'] })).toEqual(['bob removed', 'ada added']);
    expect(await listed({ to_timestamp: String(start() + 1) })).toEqual(['bob added', 'ada added']);
    const moment = String(start() + 1);
    expect(await listed({ from_timestamp: moment, to_timestamp: moment })).toEqual(['bob added']);
    expect(await listed({ from_timestamp: String(seconds() + 1) })).toEqual([]);
    expect(await listed({ event_type: 'added', role: 'member', source: 'scim', search: 'okta' })).toEqual([
      'bob added',
    ]);
    expect(await listed({ event_type: 'added', role: 'admin' })).toEqual([]);
    expect(await events({ from_timestamp: '', to_timestamp: '' })).toHaveLength(5);
  });

  it('finds a part of a name or login, of either one, in any case and as it is written', async () => {
    expect(await listed({ search: 'OKT' })).toEqual(['bob added']);
    expect(await listed({ search: `BOB-${count}` })).toEqual(['bob removed', 'bob added']);
    expect(await listed({ search: 'ärger' })).toEqual(['bob removed', 'bob added']);
    expect(await listed({ search: 'ada_50' })).toEqual(['ada changed', 'ada added']);
    expect(await listed({ search: 'adax50' })).toEqual([]);
    for (const [search, found] of Object.entries({
      '%': 2,
      _: 2,
      '\\': 2,
      '0%': 2,
      'a%a': 0,
      '<b>': 2,
      "'": 0,
      '': 4,
    })) {
      expect(await listed({ search }), search).toHaveLength(found);
    }
    expect(await listed({ search: 'nobody' })).toEqual([]);
  });

  it('finds the same when the search matches many', async () => {
    const found = await listed({ search: '-' });
    const names = Array.from({ length: 150 }, (_, i) => ({ org_id: org.id, name: `filler-${i}` }));
    await api.db.insertInto('membership_event_name').values(names).execute();
    expect(await listed({ search: '-' })).toEqual(found);
    expect(await listed({ search: '%' })).toHaveLength(2);
  });

  it('sorts by each column, in both directions, and orders equal ones', async () => {
    const all = await events({ per_page: '100' });
    const columns = {
      when: 'created_at',
      user: 'user',
      role: 'role',
      changed_by: 'changed_by',
      source: 'source',
    } as const;
    for (const [sort_by, column] of Object.entries(columns)) {
      const values = async (sort_dir: string) =>
        (await events({ sort_by, sort_dir })).map((event) => event[column as 'user']);
      const sorted = all.map((event) => event[column as 'user']).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect(await values('asc')).toEqual(sorted);
      expect(await values('desc')).toEqual(sorted.reverse());
    }
    const asc = await events({ sort_by: 'source', sort_dir: 'asc' });
    const desc = await events({ sort_by: 'source', sort_dir: 'desc' });
    expect(desc.map(({ id }) => id)).toEqual(asc.map(({ id }) => id).reverse());
  });

  it('has pages that leave nothing out, also of one moment, and counts what the filters let through', async () => {
    for (let i = 0; i < 7; i++) await set(ada, i % 2 === 0 ? 'member' : 'reader', 'app');
    const pages = await Promise.all(['1', '2', '3', '4'].map((page) => log({ page, per_page: '3' })));
    expect(pages.map((page) => page.events.length)).toEqual([3, 3, 3, 3]);
    expect(new Set(pages.flatMap((page) => page.events.map(({ id }) => id))).size).toBe(12);
    expect(pages[1]).toMatchObject({ page: 2, per_page: 3, total_pages: 4, total_count: 12 });
    const link = (page: number) => ({
      href: `http://waymark.test/api/v2/membership-audit-log/${org.name}?page=${page}&per_page=3`,
    });
    expect(pages[1]?._links).toEqual({ self: link(2), first: link(1), last: link(4), prev: link(1), next: link(3) });
    const filtered = await log({ source: ['app', 'scim'], per_page: '2', search: 'ada' });
    expect(filtered).toMatchObject({ total_count: 8, total_pages: 4 });
    expect(filtered._links['next']?.href).toContain('source=app&source=scim');
    expect(await log({ page: '1000000', per_page: '100' })).toMatchObject({ events: [], total_count: 12 });
  });
});

it('is for admins of the org alone, by key and by session', async () => {
  for (const role of ['reader', 'snapshotter', 'member'] as const) {
    const refused = {
      status: 403,
      body: { message: expect.stringContaining(`This requires the admin role; yours is ${role}`) },
    };
    expect(await call({}, org.keys[role])).toMatchObject(refused);
    const session = await givenSession(api, await givenPerson(api, { org, role }));
    const params = { org: org.name };
    expect(await callSigned(api, getMembershipAuditLog, session, { params })).toMatchObject(refused);
  }
  const session = await givenSession(api, await givenPerson(api, { org, role: 'admin' }));
  expect((await callSigned(api, getMembershipAuditLog, session, { params: { org: org.name } })).status).toBe(200);
  expect(await call({}, strangers.keys.admin)).toMatchObject({
    status: 403,
    body: { message: 'There is no such org, or you are not a member of it' },
  });
  const theirs = await api.call(getMembershipAuditLog, { params: { org: 'strangers' }, key: strangers.keys.admin });
  expect(theirs.body.total_count).toBe(1);
});

it('reports what is wrong with a query', async () => {
  const wrong: Record<string, string | string[]> = {
    page: '0',
    per_page: '101',
    event_type: 'left',
    role: ['admin', 'owner'],
    source: 'mail',
    from_timestamp: 'now',
    to_timestamp: '1763200000000',
    sort_by: 'email',
    sort_dir: 'up',
    search: 'x'.repeat(256),
    other: '1',
  };
  for (const [name, value] of Object.entries(wrong)) {
    const { status, body } = await call({ [name]: value });
    expect(status, name).toBe(400);
    expect(Object.keys((body as unknown as { errors: object }).errors)[0]).toContain(`query.${name}`);
  }
  expect((await call({ page: '1000001' })).status).toBe(400);
  const anyRole = 'must be one of reader, snapshotter, member, admin';
  const anySource = 'must be one of app, scim, invitation, script';
  const cases: [Query, Record<string, string>][] = [
    [{ event_type: 'foo' }, { 'query.event_type': 'must be one of added, changed, removed' }],
    [{ role: 'owner' }, { 'query.role': anyRole }],
    [{ role: ['admin', 'owner'] }, { 'query.role': anyRole }],
    [{ source: 'foo' }, { 'query.source': anySource }],
    [{ source: ['foo', 'app'] }, { 'query.source': anySource }],
    [{ source: Array.from({ length: 5 }, () => 'app') }, { 'query.source': 'must be given at most 4 times' }],
  ];
  for (const [query, errors] of cases) {
    expect(await call(query)).toMatchObject({ status: 400, body: { errors } });
  }
  expect((await call({ search: 'a\u0000b' })).status).toBe(400);
});

it('keeps names of any length', async () => {
  const ada = await givenPerson(api, { displayName: 'ä'.repeat(5000) });
  expect(await set(ada, 'reader', 'scim')).toMatchObject({ is: 'added' });
  expect(await events({ search: 'ä'.repeat(150) })).toHaveLength(1);
});

it('finds those who were made members together, too', async () => {
  const people = [await givenPerson(api, { displayName: 'Grace Hopper' }), await givenPerson(api)];
  const ctx = { ...systemCtx(api.db, org.id, 'provider', noLog), now: () => api.clock.now };
  await setMemberships(
    ctx,
    people.map((user) => ({ user, role: 'reader' as const })),
    'scim',
  );
  expect(await events({ search: 'hopper' })).toHaveLength(1);
  expect(await events({ search: people[1]?.login ?? '' })).toHaveLength(1);
  expect(await events({ search: 'provider' })).toHaveLength(2);
});

it('is written once for each change, in the transaction of the change', async () => {
  const ada = await givenPerson(api);
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`.execute(
    api.owner,
  );
  await sql`create trigger refuse before insert on membership_event_name for each row execute function refuse()`.execute(
    api.owner,
  );
  await expect(set(ada, 'reader', 'app', `somebody-new-${count}`)).rejects.toThrow();
  await sql`drop trigger refuse on membership_event_name`.execute(api.owner);
  expect(await events({ search: ada.login })).toEqual([]);
  await set(ada, 'reader', 'app');
  await set(ada, 'reader', 'app');
  expect(await events({ search: ada.login })).toHaveLength(1);
});
