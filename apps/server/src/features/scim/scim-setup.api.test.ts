import {
  acceptInvitation,
  changeMember,
  configureScim,
  createInvitation,
  getScim,
  leaveOrganization,
  listFlows,
  listMembers,
  listScimGroups,
  mapScimGroup,
  putFlow,
  type Role,
  removeMember,
  roles,
  scimCreateGroup,
  scimCreateUser,
  scimDeleteGroup,
  scimDeleteUser,
  scimListUsers,
  scimPatchGroup,
  turnOffScim,
  turnOnScim,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession, type Person } from '../../../test/given/people.ts';
import { entraUser, givenScim, groupOf, patchOf, type ScimClient } from '../../../test/given/scim.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { ensureServiceAccount } from '../service-accounts/service-account.service.ts';

// Some tests let more requests of one org wait for a lock than it has connections.
const api = await startApi({ shareLimits: { runningPerOrg: 8 } });
let org: TestOrg;
let count = 0;

beforeEach(async () => {
  org = await api.givenOrg(`scim-setup-${++count}`);
});

const at = (extra: Record<string, string> = {}) => ({ params: { org: org.name, ...extra }, key: org.keys.admin });
const turnOn = (key = org.keys.admin) => api.call(turnOnScim, { ...at(), key });
const configure = (default_role: Role | null) => api.call(configureScim, { ...at(), body: { default_role } });
const entries = async () => (await api.journal(org)).filter(({ type }) => type.startsWith('scim'));
const provision = async (scim: ScimClient, person: Person) =>
  (await scim.send(scimCreateUser, { body: entraUser(person.email) })).body.id;
const roleOf = async ({ login }: Person) => {
  const { body } = await api.call(listMembers, { ...at(), query: { per_page: '100' } });
  return body.members.find((member) => member.login === login)?.role ?? null;
};
const givenMapped = async (scim: ScimClient, role: Role | null, ...members: string[]) => {
  const { body } = await scim.send(scimCreateGroup, { body: groupOf(`${role}s`, ...members) });
  await api.call(mapScimGroup, { ...at({ id: body.id }), body: { role } });
  return body.id;
};

/** How many transactions wait for their turn to change members. */
const untilWaiting = async (wanted: number) => {
  const count = sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and locktype = 'advisory' and not granted`;
  await expect.poll(async () => (await count.execute(api.db)).rows[0]?.waiting).toBe(wanted);
};

describe('turning SCIM on', () => {
  it('takes the default role along, which people have from the first provisioning on', async () => {
    const start = (body: Record<string, unknown>) => api.call(turnOnScim, { ...at(), body: body as never });
    expect(await start({ default_role: 'owner' })).toMatchObject({
      status: 400,
      body: { errors: { default_role: expect.any(String) } },
    });
    expect(await start({ role: 'reader' })).toMatchObject({ status: 400 });
    expect(await entries()).toEqual([]);

    expect((await start({ default_role: 'reader' })).status).toBe(201);
    expect((await api.call(getScim, at())).body).toMatchObject({ enabled: true, default_role: 'reader' });
    expect(await entries()).toMatchObject([
      { type: 'scim.turned_on', subject_seq: 1 },
      { type: 'scim.default_role_changed', subject_seq: 2, payload: { role: 'reader', previous_role: null } },
    ]);
    const ada = await givenPerson(api);
    // A new key, requested without a role.
    await provision(await givenScim(api, org), ada);
    expect(await roleOf(ada)).toBe('reader');

    await start({});
    expect((await api.call(getScim, at())).body).toMatchObject({ default_role: 'reader' });
    await start({ default_role: null });
    expect(await roleOf(ada)).toBeNull();
  });

  it('returns an address and a key that is shown once, and its current state', async () => {
    expect((await api.call(getScim, at())).body).toEqual({
      enabled: false,
      base_url: `http://waymark.test/api/v2/scim/v2/${org.name}`,
      default_role: null,
      created_at: null,
      key_made_by: null,
      key_suspended_at: null,
      last_used_at: null,
      users: 0,
      groups: 0,
      unmanaged_members: 1,
    });
    const scim = await givenScim(api, org);
    expect(scim.baseUrl).toBe(`http://waymark.test/api/v2/scim/v2/${org.name}`);
    await provision(scim, await givenPerson(api));
    await givenMapped(scim, null);
    await api.app.credentialUse.flush();
    const seconds = api.clock.now.getTime() / 1000;
    const { body } = await api.call(getScim, at());
    expect(body).toMatchObject({ enabled: true, users: 1, groups: 1, created_at: seconds, last_used_at: seconds });
    expect(JSON.stringify(body)).not.toContain(scim.key);
    expect(await entries()).toMatchObject([
      { type: 'scim.turned_on', subject_seq: 1 },
      { type: 'scim_user.provisioned' },
      { type: 'scim_group.created' },
    ]);
    expect(JSON.stringify(await api.journal(org))).not.toContain(scim.key);
  });

  it('again gives another key, and the one before is good no more', async () => {
    const [first, second] = [await givenScim(api, org), await givenScim(api, org)];
    expect((await first.send(scimListUsers)).status).toBe(401);
    expect((await second.send(scimListUsers)).status).toBe(200);
    expect(await entries()).toMatchObject([
      { type: 'scim.turned_on', subject_seq: 1 },
      { type: 'scim.key_replaced', subject_seq: 2 },
    ]);
  });

  it('in a race leaves one key that is good', async () => {
    await givenScim(api, org);
    const answers = await Promise.all(Array.from({ length: 6 }, () => turnOn()));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    const good = await Promise.all(
      answers.map(({ body }) => api.call(scimListUsers, { params: { org: org.name }, key: body.key })),
    );
    expect(good.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await entries()).map(({ subject_seq }) => subject_seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('repeated with the same Idempotency-Key does not show the key again', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await api.call(turnOnScim, { ...at(), headers });
    expect(first.status).toBe(201);
    const repeat = await api.call(turnOnScim, { ...at(), headers });
    expect(repeat.status).toBe(400);
    expect(JSON.stringify(repeat.body)).toContain(first.body.id);
    expect(JSON.stringify(repeat.body)).not.toContain(first.body.key);
    expect(await entries()).toHaveLength(1);
  });

  it('never takes over an account that somebody made and can make keys for', async () => {
    const ctx = { db: api.db, org: org.id, now: () => api.clock.now, newId: () => crypto.randomUUID() };
    const actor = { kind: 'system', id: null, name: 'tests' } as const;
    await ensureServiceAccount(
      { ...ctx, actor, credential: null, log: api.app.log },
      { name: 'scim', privilege: 'member' },
    );
    await givenScim(api, org);
    await givenScim(api, org);
    const accounts = await api.db
      .selectFrom('service_account')
      .select(['name', 'privilege', 'creating_user_id'])
      .where('org_id', '=', org.id)
      .where('name', 'like', 'scim%')
      .orderBy('name')
      .execute();
    expect(accounts).toEqual([
      { name: 'scim', privilege: 'member', creating_user_id: null },
      { name: 'scim-2', privilege: 'reader', creating_user_id: null },
    ]);
  });

  it('is for shared orgs', async () => {
    const person = await givenPerson(api);
    expect(await api.call(turnOnScim, { params: { org: person.login }, key: person.key })).toMatchObject({
      status: 400,
      body: {
        message: 'SCIM is only available in shared orgs: a personal org has one member, who is always its admin',
      },
    });
  });

  it('is for admins of the org, by key or by session', async () => {
    const other = await api.givenOrg(`scim-other-${count}`);
    for (const role of roles) {
      const person = await givenPerson(api, { org, role });
      const signed = await givenSession(api, person);
      const wanted = role === 'admin' ? 201 : 403;
      expect((await turnOn(org.keys[role])).status).toBe(wanted);
      expect((await callSigned(api, turnOnScim, signed, { params: { org: org.name } })).status).toBe(wanted);
    }
    expect((await turnOn(other.keys.admin)).status).toBe(403);
    expect((await turnOn('')).status).toBe(401);
  });
});

describe('turning SCIM off', () => {
  it('leaves members as they are, to be edited again', async () => {
    const scim = await givenScim(api, org);
    const ann = await givenPerson(api);
    await givenMapped(scim, 'reader', await provision(scim, ann));
    const change = () => api.call(changeMember, { ...at({ login: ann.login }), body: { role: 'member' } });
    expect((await change()).status).toBe(409);
    expect(await api.call(turnOffScim, at())).toMatchObject({
      status: 200,
      body: 'SCIM turned off: members stay as they are, and can be edited again',
    });
    expect((await scim.send(scimListUsers)).status).toBe(401);
    expect(await roleOf(ann)).toBe('reader');
    expect((await change()).status).toBe(200);
    expect(await api.call(turnOffScim, at())).toMatchObject({
      status: 404,
      body: { message: 'SCIM is turned off for this org' },
    });
    expect((await api.call(getScim, at())).body).toMatchObject({ enabled: false, created_at: null, users: 1 });
    const off = { status: 400, body: { message: 'SCIM is turned off for this org: turn it on first' } };
    expect(await configure('reader')).toMatchObject(off);
    const [group] = (await api.call(listScimGroups, at())).body;
    expect(await api.call(mapScimGroup, { ...at({ id: group?.id ?? '' }), body: { role: 'admin' } })).toMatchObject(
      off,
    );

    const again = await givenScim(api, org);
    expect((await again.send(scimListUsers)).body.totalResults).toBe(1);
    expect(await roleOf(ann)).toBe('member');
    expect((await change()).status).toBe(409);
  });

  it('comes before what the identity provider asked for and still waits', async () => {
    const scim = await givenScim(api, org);
    const person = await givenPerson(api);
    const id = await provision(scim, person);
    const group = await givenMapped(scim, 'admin');
    const patch = patchOf({ op: 'add', path: 'members', value: [{ value: id }] });
    const waiting = await api.db.transaction().execute(async (db) => {
      await lockSubject(db, org.id, 'members', org.id);
      const off = api.call(turnOffScim, at());
      await untilWaiting(1);
      const late = [
        scim.send(scimCreateUser, { body: entraUser('late@corp.test') }),
        scim.send(scimPatchGroup, { id: group, body: patch }),
        scim.send(scimCreateGroup, { body: groupOf('late', id) }),
        scim.send(scimDeleteUser, { id }),
        scim.send(scimDeleteGroup, { id: group }),
      ];
      await untilWaiting(1 + late.length);
      return [off, ...late];
    });
    const answers = await Promise.all(waiting);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 401, 401, 401]);
    expect(await roleOf(person)).toBeNull();
  });

  it('in a race is done once', async () => {
    await turnOn();
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.call(turnOffScim, at())));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect((await entries()).map(({ type }) => type)).toEqual(['scim.turned_on', 'scim.turned_off']);
  });
});

describe('while SCIM is on', () => {
  it('provisioned users are changed and removed nowhere else, cannot leave, and nobody is invited', async () => {
    const scim = await givenScim(api, org);
    const ann = await givenPerson(api);
    await givenMapped(scim, 'reader', await provision(scim, ann));
    const refused = {
      status: 409,
      body: { message: 'The identity provider of this org manages its members by SCIM. Change them there' },
    };
    const who = at({ login: ann.login });
    expect(await api.call(changeMember, { ...who, body: { role: 'admin' } })).toMatchObject(refused);
    expect(await api.call(removeMember, who)).toMatchObject(refused);
    expect(await api.call(leaveOrganization, { params: { org: org.name }, key: ann.key })).toMatchObject(refused);
    const invitation = { email: `new-${count}@example.test`, role: 'reader' as const };
    expect(await api.call(createInvitation, { ...at(), body: invitation })).toMatchObject(refused);
    expect(await roleOf(ann)).toBe('reader');
  });

  it('an invitation from before is not accepted any more', async () => {
    const bob = await givenPerson(api);
    const sent = await api.call(createInvitation, { ...at(), body: { email: bob.email, role: 'reader' } });
    await givenScim(api, org);
    const { id: invitation_id } = sent.body as { id: string };
    const answer = await callSigned(api, acceptInvitation, await givenSession(api, bob), {
      params: { invitation_id },
      body: {},
    });
    expect(answer.status).toBe(409);
    expect(await roleOf(bob)).toBeNull();
  });

  it('members whom it did not provision stay, and can be removed', async () => {
    const old = await givenPerson(api, { org, role: 'member' });
    await givenScim(api, org);
    expect((await api.call(putFlow, { params: { org: org.name }, key: old.key })).status).toBe(400);
    expect((await api.call(getScim, at())).body.unmanaged_members).toBe(2);
    expect((await api.call(removeMember, at({ login: old.login }))).status).toBe(200);
    expect((await api.call(listFlows, { params: { org: org.name }, key: old.key })).status).toBe(403);
  });
});

describe('the default role', () => {
  it('is for active users whom no group gives one, at once and later', async () => {
    const scim = await givenScim(api, org);
    const [ann, bob, off, later] = [
      await givenPerson(api),
      await givenPerson(api),
      await givenPerson(api),
      await givenPerson(api),
    ];
    await provision(scim, ann);
    await givenMapped(scim, 'member', await provision(scim, bob));
    await scim.send(scimCreateUser, { body: entraUser(off.email, { active: false }) });
    expect(await configure('reader')).toMatchObject({ status: 200, body: { default_role: 'reader' } });
    await provision(scim, later);
    const held = () => Promise.all([ann, bob, off, later].map(roleOf));
    expect(await held()).toEqual(['reader', 'member', null, 'reader']);
    await configure('reader');
    await configure(null);
    expect(await held()).toEqual([null, 'member', null, null]);
    const changed = (await entries()).filter(({ type }) => type === 'scim.default_role_changed');
    expect(changed.map(({ payload }) => payload)).toEqual([
      { role: 'reader', previous_role: null },
      { role: null, previous_role: 'reader' },
    ]);
  });

  it('does not take the last admin their role', async () => {
    const solo = await givenPerson(api);
    const own = await api.givenOrg(`scim-solo-${count}`);
    const scim = await givenScim(api, own);
    await scim.send(scimCreateUser, { body: entraUser(solo.email) });
    const { body } = await scim.send(scimCreateGroup, { body: groupOf('Admins') });
    const params = { org: own.name };
    await api.db
      .updateTable('user_account')
      .set({ email: `${own.name}@example.test` })
      .where('login', '=', `${own.name}-admin`)
      .execute();
    await scim.send(scimCreateUser, { body: entraUser(`${own.name}@example.test`) });
    const answer = await api.call(configureScim, { params, key: own.keys.admin, body: { default_role: 'reader' } });
    expect(answer).toMatchObject({
      status: 409,
      body: { message: `'${own.name}-admin' is the last admin of the org: make another person admin first` },
    });
    expect((await api.call(getScim, { params, key: own.keys.admin })).body).toMatchObject({ default_role: null });
    expect(
      (
        await api.call(mapScimGroup, {
          params: { ...params, id: body.id },
          key: own.keys.admin,
          body: { role: 'admin' },
        })
      ).status,
    ).toBe(200);
  });

  it.each([
    [{}, { default_role: 'is required' }],
    [{ default_role: 'owner' }, { default_role: 'must be one of reader, snapshotter, member, admin' }],
    [{ default_role: 'reader', enabled: false }, { enabled: 'is unknown' }],
  ])('is refused as %j', async (body, errors) => {
    await turnOn();
    expect(await api.call(configureScim, { ...at(), body: body as never })).toMatchObject({
      status: 400,
      body: { errors },
    });
  });
});

describe('mapping a group', () => {
  it('shows which role each gives, by name', async () => {
    const scim = await givenScim(api, org);
    const id = await givenMapped(scim, 'member', await provision(scim, await givenPerson(api)));
    await givenMapped(scim, null);
    expect((await api.call(listScimGroups, at())).body).toEqual([
      { id, display_name: 'members', external_id: null, role: 'member', members: 1 },
      { id: expect.any(String), display_name: 'nulls', external_id: null, role: null, members: 0 },
    ]);
    const map = (role: Role | null) => api.call(mapScimGroup, { ...at({ id }), body: { role } });
    await Promise.all(Array.from({ length: 6 }, () => map('reader')));
    const mapped = (await entries()).filter(({ type }) => type === 'scim_group.mapped');
    expect(mapped.map(({ payload }) => payload)).toEqual([
      { display_name: 'members', role: 'member', previous_role: null },
      { display_name: 'members', role: 'reader', previous_role: 'member' },
    ]);
  });

  it('refuses what is no role, and a group that is not there or of another org', async () => {
    const scim = await givenScim(api, org);
    const id = await givenMapped(scim, 'member');
    const map = (id: string, body: unknown, key = org.keys.admin) =>
      api.call(mapScimGroup, { params: { org: org.name, id }, key, body: body as { role: Role } });
    expect(await map(id, { role: 'owner' })).toMatchObject({
      status: 400,
      body: { errors: { role: expect.any(String) } },
    });
    expect(await map('x', { role: null })).toMatchObject({
      status: 400,
      body: { errors: { id: 'must be the id of a group' } },
    });
    expect((await map('0198c0de-0000-4000-8000-000000000001', { role: null })).status).toBe(404);
    expect((await map(id, { role: 'admin' }, org.keys.member)).status).toBe(403);
    const other = await api.givenOrg(`scim-foreign-${count}`);
    await givenScim(api, other);
    const foreign = await api.call(mapScimGroup, {
      params: { org: other.name, id },
      key: other.keys.admin,
      body: { role: 'admin' },
    });
    expect(foreign.status).toBe(404);
  });
});
