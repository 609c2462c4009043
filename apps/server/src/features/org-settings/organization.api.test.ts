import {
  createOrganization,
  getDefaultOrg,
  getOrganization,
  leaveOrganization,
  listUserOrganizations,
  ORGS_MAX,
  putExperimentalFeatures,
  roles,
  setDefaultOrg,
} from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession } from '../../../test/given/people.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();
const FOREIGN = { status: 403, body: { message: 'There is no such org, or you are not a member of it' } };
let count = 0;
const newName = () => `org-${++count}`;

const create = (name: string, key: string, headers: Record<string, string> = {}) =>
  api.call(createOrganization, { key, body: { name }, headers });
const read = (name: string, key: string) => api.call(getOrganization, { params: { org: name }, key });
const ownOrgs = async (key: string) => (await api.call(listUserOrganizations, { key })).body;
const orgNamed = async (name: string): Promise<TestOrg> => ({
  ...(await api.db.selectFrom('org').select(['id', 'name']).where('name', '=', name).executeTakeFirstOrThrow()),
  keys: api.org.keys,
});

describe('creating an org', () => {
  it('makes the caller its admin, and both can be read', async () => {
    const person = await givenPerson(api, { displayName: 'Ada' });
    const name = newName();
    const now = api.clock.now.getTime() / 1000;
    const org = {
      name,
      kind: 'shared',
      experimental_features_enabled: false,
      created_at: now,
      last_modified_at: now,
    };
    expect(await create(name, person.key)).toMatchObject({ status: 201, body: org });
    expect(await read(name, person.key)).toMatchObject({ status: 200, body: org });
    expect(await ownOrgs(person.key)).toEqual([
      { name, kind: 'shared', role: 'admin' },
      { name: person.login, kind: 'personal', role: 'admin' },
    ]);
    expect(await api.journal(await orgNamed(name))).toEqual([
      { type: 'org.created', subject_seq: 1, actor: person.login, payload: { name, kind: 'shared' } },
      {
        type: 'membership.added',
        subject_seq: 1,
        actor: person.login,
        payload: { user_id: person.id, login: person.login, role: 'admin', source: 'app' },
      },
    ]);
  });

  it('works by session, with the token of the page alone', async () => {
    const person = await givenPerson(api);
    const { cookie, ...token } = await givenSession(api, person);
    const body = { name: newName() };
    expect((await callSigned(api, createOrganization, { cookie }, { body })).status).toBe(403);
    expect((await callSigned(api, createOrganization, { cookie, ...token }, { body })).status).toBe(201);
  });

  it('is refused for a name that is taken, by whomever, and for names that addresses need', async () => {
    const [person, other] = [await givenPerson(api), await givenPerson(api)];
    const name = newName();
    await create(name, other.key);
    for (const taken of [name, other.login, 'acme', 'api', 'sign-in', 'Account']) {
      expect(await create(taken, person.key)).toMatchObject({
        status: 400,
        body: { errors: { name: expect.stringMatching(/^is taken: /) } },
      });
    }
    expect(await ownOrgs(person.key)).toHaveLength(1);
  });

  it('is refused for what is no name, and for fields that nobody may set', async () => {
    const { key } = await givenPerson(api);
    for (const name of ['', '.hidden', 'a b', 'a/b', 'x'.repeat(65), null, 1]) {
      expect((await create(name as string, key)).status).toBe(400);
    }
    const body = { name: newName(), kind: 'personal', role: 'admin' } as { name: string };
    expect(await api.call(createOrganization, { key, body })).toMatchObject({
      status: 400,
      body: { errors: { kind: 'is unknown', role: 'is unknown' } },
    });
  });

  it('happens once in a race for one name, and nothing is left of those who lost', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => givenPerson(api)));
    const name = newName();
    const answers = await Promise.all(people.map(({ key }) => create(name, key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(400)]);
    const members = await api.db
      .selectFrom('membership')
      .select('user_id')
      .where('org_id', '=', (await orgNamed(name)).id)
      .execute();
    expect(members).toHaveLength(1);
  });

  it('is answered as before when it is repeated with its key', async () => {
    const { key } = await givenPerson(api);
    const name = newName();
    const headers = { 'idempotency-key': 'again' };
    const first = await create(name, key, headers);
    expect(await create(name, key, headers)).toMatchObject({ status: 201, body: first.body });
  });

  it('is for people, and not for credentials of one org', async () => {
    const person = await givenPerson(api, { org: api.org, role: 'admin' });
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect(await create(newName(), api.org.keys[role])).toMatchObject({
        status: 403,
        body: { message: 'Service accounts cannot do this. Sign in as a person' },
      });
    }
    const limited = await givenSession(api, person, api.org.id);
    const answer = await callSigned(api, createOrganization, limited, { body: { name: newName() } });
    expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining('valid in only one org') } });
  });

  it('ends at a number, also in a race', async () => {
    const person = await givenPerson(api);
    const base = { kind: 'shared' as const, created_at: api.clock.now, creating_user_id: person.id };
    const made = Array.from({ length: ORGS_MAX - 2 }, () => ({ id: crypto.randomUUID(), name: newName(), ...base }));
    await api.db.insertInto('org').values(made).execute();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(newName(), person.key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, ...Array(6).fill(400)]);
    expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({
      message: `A person can create at most ${ORGS_MAX} orgs`,
      errors: null,
    });
  });
});

describe('an org', () => {
  it('is read by every member and by nobody else', async () => {
    const other = await api.givenOrg(newName());
    for (const role of roles) expect((await read('acme', api.org.keys[role])).status).toBe(200);
    expect(await read('acme', other.keys.admin)).toMatchObject(FOREIGN);
    expect(await read('never-was', other.keys.admin)).toMatchObject(FOREIGN);
  });

  it('says when it was changed last', async () => {
    const org = await api.givenOrg(newName());
    api.clock.now = new Date(api.clock.now.getTime() + 5000);
    const params = { org: org.name };
    const body = { experimental_features_enabled: true };
    await api.call(putExperimentalFeatures, { params, key: org.keys.admin, body });
    expect((await read(org.name, org.keys.reader)).body).toMatchObject({
      experimental_features_enabled: true,
      last_modified_at: api.clock.now.getTime() / 1000,
    });
  });
});

describe('one’s own orgs', () => {
  it('are those one is a member of, with the role there', async () => {
    const org = await api.givenOrg(newName());
    const person = await givenPerson(api, { org, role: 'snapshotter' });
    expect(await ownOrgs(person.key)).toEqual([
      { name: org.name, kind: 'shared', role: 'snapshotter' },
      { name: person.login, kind: 'personal', role: 'admin' },
    ]);
    expect(await ownOrgs(org.keys.member)).toEqual([{ name: org.name, kind: 'shared', role: 'member' }]);
  });

  it('are one alone for a credential that is good in one', async () => {
    const org = await api.givenOrg(newName());
    const person = await givenPerson(api, { org, role: 'member' });
    const limited = await givenSession(api, person, org.id);
    expect((await callSigned(api, listUserOrganizations, limited)).body).toEqual([
      { name: org.name, kind: 'shared', role: 'member' },
    ]);
  });
});

describe('the default org', () => {
  const choose = (name: string, key: string) => api.call(setDefaultOrg, { params: { org: name }, key });
  const chosen = async (key: string) => (await api.call(getDefaultOrg, { key })).body.default_org_name;

  it('is none until one is chosen, and none again when it was left', async () => {
    const org = await api.givenOrg(newName());
    const person = await givenPerson(api, { org, role: 'reader' });
    expect(await chosen(person.key)).toBeNull();
    expect(await choose(org.name, person.key)).toMatchObject({ status: 200, body: { default_org_name: org.name } });
    expect(await chosen(person.key)).toBe(org.name);
    await api.call(leaveOrganization, { params: { org: org.name }, key: person.key });
    expect(await chosen(person.key)).toBeNull();
  });

  it('is chosen with the body that clients send, once in a race, and recorded where it is personal', async () => {
    const org = await api.givenOrg(newName());
    const person = await givenPerson(api, { org });
    const url = `/api/v2/user/${org.name}`;
    const headers = { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' };
    expect(await api.inject({ method: 'PUT', url, headers, payload: 'null' })).toMatchObject({ status: 200 });
    await Promise.all(Array.from({ length: 8 }, () => choose(org.name, person.key)));
    await choose(person.login, person.key);
    const changes = (await api.journal(await orgNamed(person.login))).filter(
      ({ type }) => type === 'user.default_org_changed',
    );
    expect(
      changes.map(({ payload, subject_seq }) => [subject_seq, (payload as { org_name: string }).org_name]),
    ).toEqual([
      [2, org.name],
      [3, person.login],
    ]);
  });

  it('is no org of others', async () => {
    const person = await givenPerson(api);
    expect(await choose('acme', person.key)).toMatchObject(FOREIGN);
    expect(await choose('never-was', person.key)).toMatchObject(FOREIGN);
    expect(await chosen(person.key)).toBeNull();
  });

  it('of a service account is its own, whatever its role', async () => {
    for (const role of ['reader', 'snapshotter', 'member'] as const) {
      expect((await choose('acme', api.org.keys[role])).status).toBe(200);
      expect(await chosen(api.org.keys[role])).toBe('acme');
    }
  });

  it('is that org for a credential of one org, and the person’s choice stays', async () => {
    const [org, other] = [await api.givenOrg(newName()), await api.givenOrg(newName())];
    const person = await givenPerson(api, { org });
    await choose(person.login, person.key);
    const limited = await givenSession(api, person, org.id);
    expect((await callSigned(api, setDefaultOrg, limited, { params: { org: org.name } })).status).toBe(200);
    expect((await callSigned(api, getDefaultOrg, limited)).body).toEqual({ default_org_name: org.name });
    expect(await chosen(person.key)).toBe(person.login);
    expect(await callSigned(api, setDefaultOrg, limited, { params: { org: other.name } })).toMatchObject(FOREIGN);
  });
});
