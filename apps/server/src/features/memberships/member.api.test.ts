import {
  changeMember,
  createOrganization,
  createUserKey,
  getFlow,
  getOrganization,
  leaveOrganization,
  listFlows,
  listMembers,
  type Role,
  removeMember,
  roles,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession } from '../../../test/given/people.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { setMembership } from './membership.service.ts';

const api = await startApi();
const strangers = await api.givenOrg('strangers');
const FOREIGN = { status: 403, body: { message: 'There is no such org, or you are not a member of it' } };
const LAST_ADMIN = {
  status: 409,
  body: { message: 'This is the last admin of the org: make another person admin first' },
};

let org: TestOrg;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`team-${++count}`);
});

const admin = () => `${org.name}-admin`;
const person = (role: Role, more: object = {}) => givenPerson(api, { org, role, ...more });
const change = (login: string, body: unknown, key = org.keys.admin) =>
  api.call(changeMember, { params: { org: org.name, login }, key, body: body as { role: Role } });
const remove = (login: string, key = org.keys.admin) =>
  api.call(removeMember, { params: { org: org.name, login }, key });
const leave = (key: string, name = org.name) => api.call(leaveOrganization, { params: { org: name }, key });
const list = async (query: Record<string, string> = {}) =>
  (await api.call(listMembers, { params: { org: org.name }, key: org.keys.admin, query })).body;
const roleOf = async (login: string) => (await list({ per_page: '100' })).members.find((m) => m.login === login)?.role;
const entries = async () => (await api.journal(org)).filter(({ type }) => /^membership\.(changed|removed)$/.test(type));
const seconds = () => api.clock.now.getTime() / 1000;
const later = () => {
  api.clock.now = new Date(api.clock.now.getTime() + 1000);
};

describe('the list of members', () => {
  it('says who they are and since when they have their role, by login', async () => {
    const before = seconds();
    const ada = await person('member', { login: `ada-${count}`, displayName: 'Ada Lovelace' });
    later();
    await change(ada.login, { role: 'snapshotter' });
    expect(await list()).toEqual({
      members: [
        {
          login: ada.login,
          display_name: 'Ada Lovelace',
          email: ada.email,
          role: 'snapshotter',
          since: seconds(),
        },
        { login: admin(), display_name: admin(), email: null, role: 'admin', since: expect.any(Number) },
      ],
      page: 1,
      per_page: 15,
      total_pages: 1,
      total_count: 2,
      _links: {
        self: { href: `http://waymark.test/api/v2/organizations/${org.name}/members?page=1&per_page=15` },
        first: expect.anything(),
        last: expect.anything(),
      },
    });
    expect(before).toBeLessThan(seconds());
  });

  it('has pages', async () => {
    for (let i = 0; i < 6; i++) await person('reader', { login: `m${count}-${i}` });
    const pages = await Promise.all([1, 2, 3].map((page) => list({ page: String(page), per_page: '3' })));
    expect(pages.map(({ members }) => members.length)).toEqual([3, 3, 1]);
    const logins = pages.flatMap(({ members }) => members.map(({ login }) => login));
    expect(logins).toEqual([...logins].sort());
    expect(new Set(logins).size).toBe(7);
    expect(pages[1]).toMatchObject({ total_count: 7, total_pages: 3, _links: { next: {}, prev: {} } });
    expect((await list({ page: '9' })).members).toEqual([]);
  });

  it('at a time has the roles of that time', async () => {
    // Given orgs are created by the real clock.
    api.clock.now = new Date(Date.now() + 1000);
    const [ada, bob] = [await person('reader'), await person('member')];
    const start = seconds();
    later();
    await change(ada.login, { role: 'admin' });
    await remove(bob.login);
    const middle = seconds();
    later();
    await remove(ada.login);
    const at = async (time: number) =>
      Object.fromEntries((await list({ at: String(time) })).members.map((member) => [member.login, member.role]));
    expect(await at(start - 1000)).toEqual({});
    expect((await list({ at: String(start - 1000) })).total_count).toBe(0);
    expect(await at(start)).toMatchObject({ [ada.login]: 'reader', [bob.login]: 'member' });
    expect(await at(middle - 0.5)).toEqual(await at(start));
    expect(await at(middle)).toEqual({ [admin()]: 'admin', [ada.login]: 'admin' });
    expect(await at(seconds())).toEqual({ [admin()]: 'admin' });
    const { members } = await list();
    expect((await list({ at: String(seconds()) })).members).toEqual(members);
    expect(await list({ at: String(middle), per_page: '1', page: '2' })).toMatchObject({
      total_count: 2,
      members: [{ role: 'admin' }],
    });
    expect(await list({ at: String(middle), page: '9' })).toMatchObject({ total_count: 2, members: [] });
    expect((await list({ at: '' })).members).toEqual(members);
  });

  it('orders changes of one moment', async () => {
    const ada = await person('reader');
    for (const role of ['member', 'snapshotter', 'admin', 'member'] as const) await change(ada.login, { role });
    const { members } = await list({ at: String(seconds()) });
    expect(members.find(({ login }) => login === ada.login)?.role).toBe('member');
  });

  it('is for admins, and refuses what is no time or page', async () => {
    const params = { org: org.name };
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect(await api.call(listMembers, { params, key: org.keys[role] })).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining(`This requires the admin role; yours is ${role}`) },
      });
    }
    expect(await api.call(listMembers, { params, key: strangers.keys.admin })).toMatchObject(FOREIGN);
    for (const query of [{ at: 'yesterday' }, { at: '-1' }, { page: '0' }, { per_page: '101' }, { order: 'x' }]) {
      const answer = await api.call(listMembers, { params, key: org.keys.admin, query: query as never });
      expect(answer.status).toBe(400);
    }
  });
});

describe('changing a role', () => {
  it('answers with the member, counts at once and is recorded; a repeat changes nothing', async () => {
    const ada = await person('reader');
    later();
    const changed = { login: ada.login, role: 'member', since: seconds() };
    expect(await change(ada.login, { role: 'member' })).toMatchObject({ status: 200, body: changed });
    later();
    expect(await change(ada.login, { role: 'member' })).toMatchObject({ status: 200, body: changed });
    expect(await entries()).toEqual([
      {
        type: 'membership.changed',
        subject_seq: 2,
        actor: admin(),
        payload: { user_id: ada.id, login: ada.login, role: 'member', previous_role: 'reader', source: 'app' },
      },
    ]);
  });

  it('is for admins of this org alone, by key and by session', async () => {
    const ada = await person('reader');
    for (const role of roles) {
      const caller = await person(role);
      const session = await givenSession(api, caller);
      const { cookie } = session;
      const params = { org: org.name, login: ada.login };
      const call = { params, body: { role: 'member' as const } };
      const expected = role === 'admin' ? 200 : 403;
      expect((await change(ada.login, { role: 'member' }, caller.key)).status).toBe(expected);
      expect((await callSigned(api, changeMember, session, call)).status).toBe(expected);
      expect((await callSigned(api, changeMember, { cookie }, call)).status).toBe(403);
    }
    expect(await change(ada.login, { role: 'admin' }, strangers.keys.admin)).toMatchObject(FOREIGN);
    expect(await change(ada.login, { role: 'admin' }, ada.key)).toMatchObject({ status: 403 });
    expect(await roleOf(ada.login)).toBe('member');
  });

  it('takes a role and nothing else', async () => {
    const ada = await person('reader');
    for (const body of [{}, { role: 'owner' }, { role: '' }, { role: null }, { role: ['admin'] }, [], 'admin']) {
      expect((await change(ada.login, body)).status).toBe(400);
    }
    expect(
      await change(ada.login, { role: 'member', email: 'x@example.com', org: 'acme', user_id: '1' }),
    ).toMatchObject({
      status: 400,
      body: { errors: { email: 'is unknown', org: 'is unknown', user_id: 'is unknown' } },
    });
    expect(await roleOf(ada.login)).toBe('reader');
  });

  it('applies to members only: it lets nobody in', async () => {
    const [other, former] = [await givenPerson(api), await person('member')];
    await remove(former.login);
    for (const login of ['nobody', other.login, former.login]) {
      const answer = { status: 404, body: { message: `Member '${login}' does not exist in this org` } };
      expect(await change(login, { role: 'admin' })).toMatchObject(answer);
      expect(await remove(login)).toMatchObject(answer);
    }
  });

  it('leaves the last admin', async () => {
    expect(await change(admin(), { role: 'member' })).toMatchObject(LAST_ADMIN);
    expect(await remove(admin())).toMatchObject(LAST_ADMIN);
    expect(await leave(org.keys.admin)).toMatchObject(LAST_ADMIN);
    expect(await entries()).toEqual([]);
  });

  it('is not for personal orgs', async () => {
    const ada = await givenPerson(api);
    const params = { org: ada.login, login: ada.login };
    expect(await api.call(changeMember, { params, key: ada.key, body: { role: 'reader' } })).toMatchObject({
      status: 400,
      body: { message: 'A personal org has one member, who is always its admin', errors: null },
    });
    expect((await api.call(removeMember, { params, key: ada.key })).status).toBe(400);
  });

  it('records one change in a race of equal requests, and all in their order in one of different ones', async () => {
    const ada = await person('reader');
    const equal = await Promise.all(Array.from({ length: 12 }, () => change(ada.login, { role: 'member' })));
    expect(equal.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await entries()).toHaveLength(1);
    await Promise.all(Array.from({ length: 12 }, (_, i) => change(ada.login, { role: roles[i % 4] })));
    const recorded = await entries();
    expect(recorded.map(({ subject_seq }) => subject_seq)).toEqual(recorded.map((_, i) => i + 2));
    const changes = recorded.map(({ payload }) => payload as { role: Role; previous_role: Role });
    for (const [i, { previous_role }] of changes.entries()) {
      expect(previous_role).toBe(i === 0 ? 'reader' : changes[i - 1]?.role);
    }
  });
});

describe('removing a member', () => {
  it('shuts every credential of theirs out of the org, and out of nothing else', async () => {
    const ada = await person('member');
    const session = await givenSession(api, ada);
    expect(await remove(ada.login)).toMatchObject({ status: 200, body: `Member '${ada.login}' removed` });
    const params = { org: org.name };
    expect(await api.call(listFlows, { params, key: ada.key })).toMatchObject(FOREIGN);
    expect(await callSigned(api, listFlows, session, { params })).toMatchObject(FOREIGN);
    expect((await api.call(listFlows, { params: { org: ada.login }, key: ada.key })).status).toBe(200);
    expect((await remove(ada.login)).status).toBe(404);
    expect(await entries()).toEqual([
      {
        type: 'membership.removed',
        subject_seq: 2,
        actor: admin(),
        payload: { user_id: ada.id, login: ada.login, previous_role: 'member', source: 'app' },
      },
    ]);
  });

  it('leaves nothing behind with which to come back: what the identity provider opened has ended', async () => {
    const ada = await person('member');
    const session = await givenSession(api, ada, org.id);
    const params = { org: org.name };
    const made = await callSigned(api, createUserKey, session, { body: { description: 'bound' } });
    const { key } = made.body;
    expect((await api.call(listFlows, { params, key })).status).toBe(200);
    await remove(ada.login);
    await setMembership(
      { ...systemCtx(api.db, org.id, 'tests', noLog), now: () => api.clock.now },
      ada,
      'member',
      'script',
    );
    expect((await api.call(listFlows, { params, key: ada.key })).status).toBe(200);
    expect((await api.call(listFlows, { params, key })).status).toBe(401);
    expect((await callSigned(api, listFlows, session, { params })).status).toBe(401);
  });

  it('is for admins of this org alone', async () => {
    const ada = await person('member');
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect((await remove(ada.login, org.keys[role])).status).toBe(403);
      const caller = await person(role);
      const session = await givenSession(api, caller);
      const params = { org: org.name, login: ada.login };
      expect((await callSigned(api, removeMember, session, { params })).status).toBe(403);
    }
    expect(await remove(ada.login, strangers.keys.admin)).toMatchObject(FOREIGN);
    const session = await givenSession(api, await person('admin'));
    const params = { org: org.name, login: ada.login };
    expect((await callSigned(api, removeMember, session, { params })).status).toBe(200);
  });

  it('happens once in a race', async () => {
    const ada = await person('member');
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(ada.login)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)]);
    expect(await entries()).toHaveLength(1);
  });

  it('no request that begins after it succeeds, whatever is under way', async () => {
    for (let round = 0; round < 5; round++) {
      const ada = await person('member');
      const session = await givenSession(api, ada);
      let isRemoved = false;
      let [before, after, wrong] = [0, 0, 0];
      const hammer = async (ask: () => Promise<{ status: number }>) => {
        while (after < 200) {
          const beganAfter = isRemoved;
          const { status } = await ask();
          if (beganAfter) after++;
          else before++;
          if (beganAfter && status !== 403) wrong++;
        }
      };
      const params = { org: org.name };
      const asking = [
        ...Array.from({ length: 8 }, () => hammer(() => api.call(listFlows, { params, key: ada.key }))),
        ...Array.from({ length: 8 }, () => hammer(() => callSigned(api, getOrganization, session, { params }))),
        hammer(() => api.call(getFlow, { params: { ...params, flow_name: 'none' }, key: ada.key })),
      ];
      expect((await remove(ada.login)).status).toBe(200);
      isRemoved = true;
      await Promise.all(asking);
      expect(wrong).toBe(0);
      expect(before).toBeGreaterThan(0);
    }
  });
});

describe('leaving', () => {
  it('is open to every role, by key and by session, and recorded as one’s own doing', async () => {
    for (const role of roles) {
      const ada = await person(role);
      expect(await leave(ada.key)).toMatchObject({ status: 200, body: `You have left '${org.name}'` });
      expect(await leave(ada.key)).toMatchObject(FOREIGN);
      const bob = await person(role);
      const session = await givenSession(api, bob);
      const params = { org: org.name };
      expect((await callSigned(api, leaveOrganization, { cookie: session.cookie }, { params })).status).toBe(403);
      expect((await callSigned(api, leaveOrganization, session, { params })).status).toBe(200);
    }
    expect(new Set((await entries()).map(({ actor }) => actor)).size).toBe(8);
  });

  it('is not for service accounts, and not from one’s personal org', async () => {
    expect(await leave(org.keys.reader)).toMatchObject({
      status: 400,
      body: { message: 'A service account cannot leave its org. An admin can delete it' },
    });
    const ada = await givenPerson(api);
    expect(await leave(ada.key, ada.login)).toMatchObject({
      status: 400,
      body: { message: 'You cannot leave your personal org' },
    });
    expect(await leave(ada.key)).toMatchObject(FOREIGN);
  });

  it('happens once in a race', async () => {
    const ada = await person('member');
    const answers = await Promise.all(Array.from({ length: 8 }, () => leave(ada.key)));
    expect(answers.every(({ status }) => status === 200 || status === 403)).toBe(true);
    expect(await entries()).toHaveLength(1);
  });
});

describe('admins who race', () => {
  const admins = async () => (await list({ per_page: '100' })).members.filter(({ role }) => role === 'admin');
  const ownOrg = async (others: number) => {
    const ada = await givenPerson(api);
    await api.call(createOrganization, { key: ada.key, body: { name: `duel-${++count}` } });
    const row = await api.db
      .selectFrom('org')
      .select('id')
      .where('name', '=', `duel-${count}`)
      .executeTakeFirstOrThrow();
    org = { id: row.id, name: `duel-${count}`, keys: { ...org.keys, admin: ada.key } };
    return [ada, ...(await Promise.all(Array.from({ length: others }, () => person('admin'))))];
  };

  it.each([1, 2, 3])('to demote each other leave one', async () => {
    const [ada, bob] = await ownOrg(1);
    if (!ada || !bob) throw new Error('two were made');
    const answers = await Promise.all([
      change(bob.login, { role: 'reader' }, ada.key),
      change(ada.login, { role: 'reader' }, bob.key),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const survivor = answers[0]?.status === 200 ? ada : bob;
    org = { ...org, keys: { ...org.keys, admin: survivor.key } };
    expect((await admins()).map(({ login }) => login)).toEqual([survivor.login]);
  });

  it('to leave all at once leave one behind', async () => {
    const everybody = await ownOrg(5);
    const answers = await Promise.all(everybody.map(({ key }) => leave(key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), 409]);
    const [last] = everybody.filter((_, i) => answers[i]?.status === 409);
    org = { ...org, keys: { ...org.keys, admin: last?.key ?? '' } };
    expect((await admins()).map(({ login }) => login)).toEqual([last?.login]);
  });

  it('to remove each other all at once leave one behind', async () => {
    const everybody = await ownOrg(3);
    await Promise.all(
      everybody.flatMap(({ key }, i) => everybody.filter((_, j) => i !== j).map(({ login }) => remove(login, key))),
    );
    const left = await api.db
      .selectFrom('membership')
      .select('role')
      .where('org_id', '=', org.id)
      .where('removed_at', 'is', null)
      .execute();
    expect(left).toEqual([{ role: 'admin' }]);
  });
});
