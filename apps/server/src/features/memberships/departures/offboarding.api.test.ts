import {
  addWorkloadIdentity,
  changeMember,
  createServiceAccount,
  createServiceAccountKey,
  exchangeToken,
  getScim,
  getServiceAccount,
  leaveOrganization,
  listFlows,
  listServiceAccountKeys,
  listWorkloadIdentities,
  mapScimGroup,
  putFlow,
  type Role,
  removeMember,
  removeWorkloadIdentity,
  restoreServiceAccountKey,
  restoreWorkloadIdentity,
  revokeServiceAccountKey,
  roles,
  rotateServiceAccountKey,
  scimCreateGroup,
  scimCreateUser,
  scimDeleteUser,
  scimListUsers,
  scimPatchGroup,
  turnOnScim,
  updateServiceAccount,
} from '@waymark/contract';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { givenPerson, type Person } from '../../../../test/given/people.ts';
import { entraUser, givenScim, groupOf, patchOf } from '../../../../test/given/scim.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { startCiIssuer } from '../../../../test/oidc/ci-issuer.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import { setMembership } from '../membership.service.ts';

const api = await startApi();
const issuer = await startCiIssuer({ now: () => api.clock.now, audience: 'replaced' });
afterAll(() => issuer.close());

let org: TestOrg;
let admin: Person;
let bea: Person;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`offboarding-${++count}`);
  admin = await givenPerson(api, { org, role: 'admin' });
  bea = await givenPerson(api, { org, role: 'member' });
});

const account = async (name: string, key: string, privilege: Role = 'member') => {
  const answer = await api.call(createServiceAccount, { params: { org: org.name }, key, body: { name, privilege } });
  expect(answer.status).toBe(201);
};
const createKey = (name: string, key: string, description = 'deploys') =>
  api.call(createServiceAccountKey, { params: { org: org.name, name }, key, body: { description } });
const keyOf = async (name: string, key: string, description?: string) => {
  const { status, body } = await createKey(name, key, description);
  expect(status).toBe(201);
  return body;
};
const remove = (login: string, key = admin.key) => api.call(removeMember, { params: { org: org.name, login }, key });
const demote = (login: string, role: Role) =>
  api.call(changeMember, { params: { org: org.name, login }, key: admin.key, body: { role } });
const keys = async (name: string) =>
  (await api.call(listServiceAccountKeys, { params: { org: org.name, name }, key: admin.key })).body;
const restore = (name: string, key_id: string, key = admin.key, of = org.name) =>
  api.call(restoreServiceAccountKey, { params: { org: of, name, key_id }, key });
const reads = async (key: string, of = org.name) => (await api.call(listFlows, { params: { org: of }, key })).status;
const writes = async (key: string, name = 'shop') =>
  (await api.call(putFlow, { params: { org: org.name }, key, body: { name } })).status;
const entries = async () =>
  (await api.journal(org))
    .filter(({ type }) => /\.(suspended|restored)$/.test(type))
    .map(({ type, subject_seq, actor, payload }) => ({ type, subject_seq, actor, payload }));

const SUSPENDED = {
  status: 401,
  body: {
    message:
      'The API key is suspended because the person who created it left the org or has a lower role than its service ' +
      'account. An admin of the org can restore it',
  },
};

describe('removing a member', () => {
  it('suspends the keys they made, and reports them', async () => {
    await account('bea-sa', bea.key);
    const { id, key } = await keyOf('bea-sa', bea.key);
    expect([await reads(key), await writes(key)]).toEqual([200, 201]);

    expect(await remove(bea.login)).toMatchObject({
      status: 200,
      body: `Member '${bea.login}' removed. Suspended until an admin restores it: key 'deploys' of service account 'bea-sa'`,
    });

    expect(await api.call(listFlows, { params: { org: org.name }, key })).toMatchObject(SUSPENDED);
    expect(await api.call(putFlow, { params: { org: org.name }, key, body: { name: 'x' } })).toMatchObject(SUSPENDED);
    expect((await createKey('bea-sa', key)).status).toBe(401);
    expect(await keys('bea-sa')).toMatchObject([{ id, suspended_at: expect.any(Number), made_by: bea.login }]);
    const shown = await api.call(getServiceAccount, { params: { org: org.name, name: 'bea-sa' }, key: admin.key });
    expect(shown.body).toMatchObject({ suspended_keys: 1 });
    expect(await entries()).toEqual([
      {
        type: 'api_key.suspended',
        subject_seq: 2,
        actor: admin.login,
        payload: {
          description: 'deploys',
          owner: { kind: 'service_account', id: expect.any(String), name: 'bea-sa' },
          made_by: { id: bea.id, login: bea.login },
        },
      },
    ]);
  });

  it('leaves alone what others made, and what they made in another org', async () => {
    const other = await api.givenOrg(`elsewhere-${count}`);
    await setMembership(systemCtx(api.db, other.id, 'tests', noLog), bea, 'member', 'script');
    const params = { org: other.name, name: 'theirs' };
    await api.call(createServiceAccount, { params, key: bea.key, body: { name: 'theirs', privilege: 'member' } });
    const elsewhere = await api.call(createServiceAccountKey, { params, key: bea.key, body: { description: 'x' } });
    await account('bea-sa', bea.key);
    const byAdmin = await keyOf('bea-sa', admin.key);

    expect((await remove(bea.login)).body).toBe(`Member '${bea.login}' removed`);

    expect(await reads(byAdmin.key)).toBe(200);
    expect(await reads(elsewhere.body.key, other.name)).toBe(200);
    expect(await entries()).toEqual([]);
  });

  it('reaches what their keys made, and the keys of those', async () => {
    const boss = await givenPerson(api, { org, role: 'admin' });
    await account('first', boss.key, 'admin');
    const first = await keyOf('first', boss.key);
    await account('second', first.key, 'admin');
    const second = await keyOf('second', first.key);
    const third = await keyOf('second', second.key);
    const rotated = await api.call(rotateServiceAccountKey, {
      params: { org: org.name, name: 'second', key_id: third.id },
      key: third.key,
      body: {},
    });
    expect(rotated.status).toBe(201);

    await remove(boss.login);

    for (const { key } of [first, second, third, rotated.body]) expect(await reads(key)).toBe(401);
  });

  it('suspends when they leave by themselves', async () => {
    await account('bea-sa', bea.key);
    const { key } = await keyOf('bea-sa', bea.key);
    const left = await api.call(leaveOrganization, { params: { org: org.name }, key: bea.key });
    expect(left.body).toContain("key 'deploys' of service account 'bea-sa'");
    expect(await reads(key)).toBe(401);
  });

  it('stays suspended when they come back', async () => {
    await account('bea-sa', bea.key);
    const { key } = await keyOf('bea-sa', bea.key);
    await remove(bea.login);
    await setMembership(systemCtx(api.db, org.id, 'tests', noLog), bea, 'admin', 'script');
    expect(await reads(key)).toBe(401);
  });

  it('leaves no key behind that was being made', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await givenPerson(api, { org, role: 'member' });
      const name = `racing-${round}`;
      await account(name, person.key);
      const { id, key } = await keyOf(name, person.key);
      const params = { org: org.name, name, key_id: id };
      const answers = await Promise.all([
        createKey(name, person.key),
        createKey(name, key),
        remove(person.login),
        api.call(rotateServiceAccountKey, { params, key, body: {} }),
        createKey(name, key),
        createKey(name, person.key),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      expect(answers[2]?.status).toBe(200);
      const all = await keys(name);
      expect(all.length).toBeGreaterThan(0);
      expect(all.filter(({ suspended_at }) => suspended_at === null)).toEqual([]);
    }
  });
});

describe('giving a member a lesser role', () => {
  it('suspends what grants more than that', async () => {
    const boss = await givenPerson(api, { org, role: 'admin' });
    for (const role of roles) await account(`as-${role}`, boss.key, role);
    const made = new Map<Role, string>();
    for (const role of roles) made.set(role, (await keyOf(`as-${role}`, boss.key)).key);

    const first = await demote(boss.login, 'member');
    expect(first.body).toMatchObject({
      role: 'member',
      suspended: [{ kind: 'api_key', name: 'deploys', service_account: 'as-admin' }],
      suspended_count: 1,
    });
    expect((await demote(boss.login, 'member')).body).toMatchObject({ suspended: [], suspended_count: 0 });
    const states = async () => Promise.all(roles.map(async (role) => [role, await reads(made.get(role) ?? '')]));
    expect(await states()).toEqual([
      ['reader', 200],
      ['snapshotter', 200],
      ['member', 200],
      ['admin', 401],
    ]);

    expect((await demote(boss.login, 'reader')).body.suspended.map((one) => one.service_account).sort()).toEqual([
      'as-member',
      'as-snapshotter',
    ]);
    expect((await demote(boss.login, 'admin')).body.suspended).toEqual([]);
    expect((await states()).map(([, status]) => status)).toEqual([200, 401, 401, 401]);
  });
});

describe('raising the privilege of a service account', () => {
  const raise = (name: string, privilege: Role, key = admin.key) =>
    api.call(updateServiceAccount, { params: { org: org.name, name }, key, body: { privilege } });

  it('suspends what people with a lesser role made for it, and nothing else', async () => {
    await account('bea-sa', bea.key, 'reader');
    await account('beside', bea.key);
    const theirs = await keyOf('bea-sa', bea.key);
    const beside = await keyOf('beside', bea.key);
    const byAdmin = await keyOf('bea-sa', admin.key);
    const states = async () => [await reads(theirs.key), await reads(beside.key), await reads(byAdmin.key)];

    expect((await raise('bea-sa', 'member', bea.key)).body).toMatchObject({ privilege: 'member', suspended_keys: 0 });
    expect(await states()).toEqual([200, 200, 200]);
    expect((await raise('bea-sa', 'admin')).body).toMatchObject({ privilege: 'admin', suspended_keys: 1 });
    expect(await states()).toEqual([401, 200, 200]);
    await raise('bea-sa', 'reader');
    expect(await states()).toEqual([401, 200, 200]);
    expect((await entries()).map(({ type, actor, payload }) => [type, actor, payload])).toEqual([
      ['api_key.suspended', admin.login, expect.objectContaining({ made_by: { id: bea.id, login: bea.login } })],
    ]);
    expect((await restore('bea-sa', theirs.id)).status).toBe(200);
    expect((await raise('bea-sa', 'admin')).body).toMatchObject({ suspended_keys: 0 });
  });

  it('leaves no key that outranks its maker when one is made at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `raised-${round}`;
      await account(name, bea.key);
      const answers = await Promise.all([
        createKey(name, bea.key),
        raise(name, 'admin'),
        raise(name, 'admin'),
        createKey(name, bea.key),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      expect((await keys(name)).filter(({ suspended_at }) => suspended_at === null)).toEqual([]);
    }
  });
});

describe('restoring a key', () => {
  it('makes it work again, as one of the admin who does it', async () => {
    await account('bea-sa', bea.key);
    const { id, key } = await keyOf('bea-sa', bea.key);
    await remove(bea.login);

    const restored = await restore('bea-sa', id);
    expect(restored).toMatchObject({ status: 200, body: { id, suspended_at: null, made_by: admin.login } });
    expect(await restore('bea-sa', id)).toMatchObject({ status: 200, body: restored.body });
    expect(await writes(key)).toBe(201);
    expect((await entries()).slice(1)).toEqual([
      {
        type: 'api_key.restored',
        subject_seq: 3,
        actor: admin.login,
        payload: {
          description: 'deploys',
          owner: { kind: 'service_account', id: expect.any(String), name: 'bea-sa' },
        },
      },
    ]);

    await remove(admin.login, org.keys.admin);
    expect(await reads(key)).toBe(401);
  });

  it('is for admins of this org, and for keys without an expiry', async () => {
    await account('bea-sa', bea.key);
    const { id, key } = await keyOf('bea-sa', bea.key);
    await demote(bea.login, 'reader');
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect((await restore('bea-sa', id, org.keys[role])).status).toBe(403);
    }
    await demote(bea.login, 'member');
    expect((await restore('bea-sa', id, bea.key)).status).toBe(403);
    expect((await restore('bea-sa', id, key)).status).toBe(401);
    const other = await api.givenOrg(`strangers-${count}`);
    expect((await restore('bea-sa', id, other.keys.admin)).status).toBe(403);
    expect((await restore('bea-sa', id, other.keys.admin, other.name)).status).toBe(404);
    await account('short', admin.key, 'admin');
    const short = await api.call(createServiceAccountKey, {
      params: { org: org.name, name: 'short' },
      key: admin.key,
      body: { description: 'x', expires_at: Math.floor(api.clock.now.getTime() / 1000) + 60 },
    });
    expect((await restore('bea-sa', id, short.body.key)).status).toBe(403);
    expect((await restore('bea-sa', 'gone')).status).toBe(404);
    expect((await restore('gone', id)).status).toBe(404);
    expect(await reads(key)).toBe(401);
    await api.call(revokeServiceAccountKey, { params: { org: org.name, name: 'bea-sa', key_id: id }, key: admin.key });
    expect((await restore('bea-sa', id)).status).toBe(404);
    expect((await entries()).map(({ type }) => type)).toEqual(['api_key.suspended']);
  });

  it('is recorded once, however many do it', async () => {
    await account('bea-sa', bea.key);
    const { id } = await keyOf('bea-sa', bea.key);
    await remove(bea.login);
    const answers = await Promise.all(Array.from({ length: 6 }, () => restore('bea-sa', id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await entries()).map(({ type }) => type)).toEqual(['api_key.suspended', 'api_key.restored']);
  });

  it('by an admin who is being removed leaves nothing that works', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await givenPerson(api, { org, role: 'member' });
      const boss = await givenPerson(api, { org, role: 'admin' });
      const name = `restoring-${round}`;
      await account(name, person.key);
      const { id, key } = await keyOf(name, person.key);
      await remove(person.login);
      const [restored] = await Promise.all([restore(name, id, boss.key), remove(boss.login)]);
      expect([200, 401, 403]).toContain(restored.status);
      expect(await reads(key)).toBe(401);
    }
  });
});

describe('workload identities', () => {
  const claims = { repository_id: '1296269', ref: 'refs/heads/main' };
  const params = () => ({ org: org.name });
  const exchange = async () => {
    const token = await issuer.mint({ claims: { aud: `http://waymark.test/${org.name}` } });
    return api.call(exchangeToken, { params: params(), key: '', body: { token } });
  };

  it('are suspended with their maker, and let jobs in again once restored', async () => {
    const boss = await givenPerson(api, { org, role: 'admin' });
    const body = { name: 'release', service_account: 'member', issuer: issuer.url, claims };
    const added = await api.call(addWorkloadIdentity, { params: params(), key: boss.key, body });
    const identity_id = added.body.id;
    const job = (await exchange()).body.key;
    expect(await reads(job)).toBe(200);

    expect((await remove(boss.login)).body).toContain("workload identity 'release' of service account 'member'");
    expect(await reads(job)).toBe(401);
    expect(await exchange()).toMatchObject({
      status: 403,
      body: {
        message: expect.stringMatching(/'release' is suspended because .* An admin of the org can restore it$/),
      },
    });
    expect((await api.call(listWorkloadIdentities, { params: params(), key: admin.key })).body).toMatchObject([
      { id: identity_id, suspended_at: expect.any(Number) },
    ]);

    const restoreIt = (key: string, of = org.name) =>
      api.call(restoreWorkloadIdentity, { params: { org: of, identity_id }, key });
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect((await restoreIt(org.keys[role])).status).toBe(403);
    }
    const other = await api.givenOrg(`strangers-${count}`);
    expect((await restoreIt(other.keys.admin, other.name)).status).toBe(404);
    const answers = await Promise.all(Array.from({ length: 4 }, () => restoreIt(admin.key)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { suspended_at: null } });
    expect((await exchange()).status).toBe(201);
    expect((await entries()).map(({ type, subject_seq, actor }) => [type, subject_seq, actor])).toEqual([
      ['workload_identity.suspended', 2, admin.login],
      ['workload_identity.restored', 3, admin.login],
    ]);

    await remove(admin.login, org.keys.admin);
    expect((await exchange()).status).toBe(403);
    await api.call(removeWorkloadIdentity, { params: { org: org.name, identity_id }, key: org.keys.admin });
    expect((await restoreIt(org.keys.admin)).status).toBe(404);
  });
});

describe('an identity provider', () => {
  it('suspends by taking somebody out of the org, or by a group with a lesser role', async () => {
    const scim = await givenScim(api, org);
    const carl = await givenPerson(api);
    const { id } = (await scim.send(scimCreateUser, { body: entraUser(carl.email) })).body;
    const group = (await scim.send(scimCreateGroup, { body: groupOf('builders', id) })).body.id;
    const map = (role: Role) =>
      api.call(mapScimGroup, { params: { org: org.name, id: group }, key: org.keys.admin, body: { role } });
    await map('admin');
    await account('high', carl.key, 'admin');
    await account('low', carl.key, 'reader');
    const high = await keyOf('high', carl.key);
    const low = await keyOf('low', carl.key);

    await map('member');
    expect([await reads(high.key), await reads(low.key)]).toEqual([401, 200]);
    const gone = patchOf({ op: 'remove', path: `members[value eq "${id}"]` });
    expect((await scim.send(scimPatchGroup, { id: group, body: gone })).status).toBe(204);
    expect(await reads(low.key)).toBe(401);
    expect((await entries()).map(({ type, actor }) => [type, actor])).toEqual([
      ['api_key.suspended', expect.any(String)],
      ['api_key.suspended', 'scim'],
    ]);
  });

  it('keeps its own key when it takes out the person who made it, and loses it when an admin does', async () => {
    const boss = await givenPerson(api, { org, role: 'admin' });
    const scim = await givenScim(api, { ...org, keys: { ...org.keys, admin: boss.key } });
    const { id } = (await scim.send(scimCreateUser, { body: entraUser(boss.email) })).body;
    await account('boss-sa', boss.key);
    const { key } = await keyOf('boss-sa', boss.key);
    const state = async () => (await api.call(getScim, { params: { org: org.name }, key: org.keys.admin })).body;

    expect((await scim.send(scimDeleteUser, { id })).status).toBe(204);
    expect(await reads(key)).toBe(401);
    expect((await scim.send(scimListUsers)).status).toBe(200);
    expect(await state()).toMatchObject({ key_made_by: boss.login, key_suspended_at: null });

    const next = await givenPerson(api, { org, role: 'admin' });
    const theirs = await givenScim(api, { ...org, keys: { ...org.keys, admin: next.key } });
    expect((await remove(next.login)).body).toContain('the SCIM key, which an admin must replace');
    expect(await theirs.send(scimListUsers)).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('An admin of the org can replace it') },
    });
    expect(await state()).toMatchObject({ key_made_by: next.login, key_suspended_at: expect.any(Number) });
    await api.call(turnOnScim, { params: { org: org.name }, key: org.keys.admin });
    expect(await state()).toMatchObject({ key_suspended_at: null });
  });
});
