import {
  listFlows,
  listMembers,
  mapScimGroup,
  putFlow,
  scimCreateGroup,
  scimCreateUser,
  scimDeleteUser,
  scimGetUser,
  scimListUsers,
  scimPatchGroup,
  scimPatchUser,
  scimReplaceUser,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenPerson, givenSession, type Person } from '../../../test/given/people.ts';
import {
  addMembers,
  entraUser,
  givenScim,
  groupOf,
  oktaUser,
  patchOf,
  type ScimClient,
} from '../../../test/given/scim.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';
import { findUserByEmail } from '../users/user.reads.ts';

const api = await startApi();
let org: TestOrg;
let scim: ScimClient;
let count = 0;

beforeEach(async () => {
  org = await api.givenOrg(`scim-users-${++count}`);
  scim = await givenScim(api, org);
});

const address = (name: string) => `${name}-${count}@example.test`;
const provision = async (body: unknown) => {
  const answer = await scim.send(scimCreateUser, { body });
  expect(answer).toMatchObject({ status: 201, type: 'application/scim+json; charset=utf-8' });
  return answer.body.id;
};
/** What a member may do, in this org or another, with a personal key. */
const statusOf = async (person: Person, contract: typeof listFlows | typeof putFlow, of = org) =>
  (await api.call(contract, { params: { org: of.name }, key: person.key })).status;
const givenGroup = async (role: 'reader' | 'member' | 'admin', ...members: string[]) => {
  const { body } = await scim.send(scimCreateGroup, { body: groupOf(role, ...members) });
  const mapped = await api.call(mapScimGroup, {
    params: { org: org.name, id: body.id },
    key: org.keys.admin,
    body: { role },
  });
  expect(mapped).toMatchObject({ status: 200, body: { role, members: members.length } });
  return body.id;
};
const entries = async () =>
  (await api.journal(org))
    .map(({ type }) => type)
    .filter((type) => /^(scim_user|membership|session|api_key\.rev)/.test(type));

it('shows somebody who has an account as the identity provider named them, and not as they call themselves', async () => {
  const ada = await givenPerson(api, { email: address('ada'), displayName: 'Ada in private' });
  const id = await provision(entraUser(ada.email));
  await scim.send(scimPatchGroup, { id: await givenGroup('reader'), body: addMembers(id) });
  const { body } = await api.call(listMembers, { params: { org: org.name }, key: org.keys.admin });
  expect(body.members.find(({ login }) => login === ada.login)).toMatchObject({
    display_name: 'Given Family',
    email: ada.email.toLowerCase(),
  });
  const recorded = api.db.selectFrom('membership_event').select('user_name').where('org_id', '=', org.id);
  expect(await recorded.where('user_id', '=', ada.id).execute()).toEqual([{ user_name: 'Given Family' }]);
});

it('Entra ID provisions, finds, changes and deprovisions somebody who has an account', async () => {
  const ada = await givenPerson(api, { email: address('ada'), displayName: 'Ada of her own' });
  const byUserName = { query: { filter: `userName eq "${ada.email.toUpperCase()}"` } };
  expect((await scim.send(scimListUsers, byUserName)).body).toMatchObject({ totalResults: 0, Resources: [] });
  const created = await scim.send(scimCreateUser, { body: entraUser(ada.email) });
  const { id } = created.body;
  expect(created).toMatchObject({
    status: 201,
    body: { userName: ada.email, active: true, externalId: `entra-${ada.email}` },
  });
  expect(created.headers.get('location')).toBe(`${scim.baseUrl}/Users/${id}`);
  expect((await scim.send(scimListUsers, byUserName)).body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
  expect(await statusOf(ada, listFlows)).toBe(403);

  const group = await givenGroup('reader');
  expect(await scim.send(scimPatchGroup, { id: group, body: addMembers(id) })).toMatchObject({
    status: 204,
    type: null,
  });
  expect(await statusOf(ada, listFlows)).toBe(200);
  expect(await statusOf(ada, putFlow)).toBe(403);

  const rename = patchOf(
    { op: 'Replace', path: 'displayName', value: 'Countess' },
    { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'D' },
    { op: 'Replace', path: 'emails[type eq "work"].value', value: address('other') },
  );
  const renamed = await scim.send(scimPatchUser, { id, body: rename });
  expect(renamed.body).toMatchObject({
    displayName: 'Countess',
    emails: [{ value: address('other'), type: 'work', primary: true }],
  });
  expect(await findUserByEmail(api.db, ada.email)).toMatchObject({
    id: ada.id,
    login: ada.login,
    displayName: 'Ada of her own',
  });
  expect(await findUserByEmail(api.db, address('other'))).toBeUndefined();

  const off = patchOf({ op: 'Replace', path: 'active', value: 'False' });
  expect((await scim.send(scimPatchUser, { id, body: off })).body).toMatchObject({ active: false });
  expect(await statusOf(ada, listFlows)).toBe(403);
  expect(await scim.send(scimDeleteUser, { id })).toMatchObject({ status: 204, type: null });
  expect(await scim.send(scimGetUser, { id })).toMatchObject({ status: 404 });
  expect(await scim.send(scimDeleteUser, { id })).toMatchObject({ status: 404 });
  expect(await entries()).toEqual([
    'membership.added',
    'scim_user.provisioned',
    'membership.added',
    'scim_user.changed',
    'scim_user.changed',
    'membership.removed',
    'scim_user.deprovisioned',
  ]);
});

it('Okta provisions somebody new, replaces, deactivates, activates and provisions them again', async () => {
  const email = address('grace');
  const id = await provision(oktaUser(email));
  const account = await findUserByEmail(api.db, email);
  expect(account).toMatchObject({ displayName: 'Given Family', login: email.split('@')[0] });
  const stored = JSON.stringify(
    await api.db.selectFrom('scim_user').selectAll().where('org_id', '=', org.id).execute(),
  );
  expect(stored).not.toContain('nobody wants it');
  await givenGroup('member', id);
  const memberships = () =>
    api.db
      .selectFrom('membership_event')
      .select(['event_type', 'role', 'source', 'changed_by'])
      .where('org_id', '=', org.id)
      .where('user_id', '=', account?.id ?? '')
      .orderBy('revision')
      .execute();
  const expected = { source: 'scim', role: 'member' };
  expect(await memberships()).toMatchObject([{ event_type: 'added', ...expected, changed_by: `${org.name}-admin` }]);

  expect(
    (await scim.send(scimPatchUser, { id, body: patchOf({ op: 'replace', value: { active: false } }) })).status,
  ).toBe(200);
  const { active: _, ...withoutActive } = oktaUser(email, { displayName: 'Grace' });
  expect((await scim.send(scimReplaceUser, { id, body: withoutActive })).body).toMatchObject({
    active: false,
    displayName: 'Grace',
  });
  expect((await scim.send(scimReplaceUser, { id, body: { ...withoutActive, active: true } })).body).toMatchObject({
    active: true,
  });
  expect(await memberships()).toMatchObject([
    { event_type: 'added' },
    { event_type: 'removed', role: '', source: 'scim', changed_by: 'scim' },
    { event_type: 'added', ...expected, changed_by: 'scim' },
  ]);
  await scim.send(scimDeleteUser, { id });
  const again = await provision(oktaUser(email));
  expect(again).not.toBe(id);
  expect(await scim.send(scimGetUser, { id: again })).toMatchObject({ body: { userName: email } });
  const rows = await api.db.selectFrom('user_account').select('id').where('email', '=', email).execute();
  expect(rows).toEqual([{ id: account?.id }]);
  expect(await memberships()).toHaveLength(4);
});

it('a deprovisioned user is signed out of this org for good, and of no other', async () => {
  const other = await api.givenOrg(`elsewhere-${count}`);
  const ann = await givenPerson(api, { email: address('ann'), org: other, role: 'reader' });
  const id = await provision(entraUser(ann.email));
  await givenGroup('reader', id);
  const [here, there] = [await givenSession(api, ann, org.id), await givenSession(api, ann, other.id)];
  const bySession = async (headers: object, of: TestOrg) =>
    (await api.call(listFlows, { params: { org: of.name }, key: '', headers: { ...headers } })).status;
  await api.db
    .updateTable('api_key')
    .set({ only_org_id: org.id } as never)
    .where('user_id', '=', ann.id)
    .execute();
  expect([await bySession(here, org), await bySession(there, other), await statusOf(ann, listFlows)]).toEqual([
    200, 200, 200,
  ]);

  const turn = (active: boolean) =>
    scim.send(scimPatchUser, { id, body: patchOf({ op: 'replace', value: { active } }) });
  await turn(false);
  expect([await bySession(here, org), await bySession(there, other), await statusOf(ann, listFlows)]).toEqual([
    401, 200, 401,
  ]);
  await turn(true);
  expect([await bySession(here, org), await bySession(there, other), await statusOf(ann, listFlows)]).toEqual([
    401, 200, 401,
  ]);
  expect(await bySession(await givenSession(api, ann, org.id), org)).toBe(200);
  expect(await entries()).toEqual(expect.arrayContaining(['session.revoked', 'api_key.revoked', 'membership.removed']));
});

it('members from before keep their role until something gives them one', async () => {
  const bob = await givenPerson(api, { email: address('bob'), org, role: 'member' });
  const id = await provision(entraUser(bob.email));
  expect(await statusOf(bob, putFlow)).toBe(400);
  const group = await givenGroup('reader', id);
  expect([await statusOf(bob, putFlow), await statusOf(bob, listFlows)]).toEqual([403, 200]);
  await scim.send(scimPatchGroup, { id: group, body: patchOf({ op: 'remove', path: `members[value eq "${id}"]` }) });
  expect(await statusOf(bob, listFlows)).toBe(403);
});

it('the last admin stays', async () => {
  const root = await givenPerson(api, { email: address('root'), org, role: 'admin' });
  const id = await provision(entraUser(root.email));
  await givenGroup('admin', id);
  await api.db
    .updateTable('membership')
    .set({ removed_at: api.clock.now })
    .where('org_id', '=', org.id)
    .where('user_id', '<>', root.id)
    .execute();
  const before = await entries();
  const detail = `'${root.login}' is the last admin of the org: make another person admin first`;
  for (const answer of [
    await scim.send(scimDeleteUser, { id }),
    await scim.send(scimPatchUser, { id, body: patchOf({ op: 'replace', value: { active: false } }) }),
    await scim.send(scimReplaceUser, { id, body: entraUser(root.email, { active: false }) }),
  ]) {
    expect(answer).toMatchObject({ status: 409, body: { status: '409', detail } });
  }
  expect(await scim.send(scimGetUser, { id })).toMatchObject({ status: 200, body: { active: true } });
  expect(await entries()).toEqual(before);
  expect(await statusOf(root, putFlow)).toBe(400);
});

it('a change that changes nothing is taken and not recorded', async () => {
  const id = await provision(entraUser(address('same')));
  const before = await entries();
  const first = await scim.send(scimGetUser, { id });
  api.clock.now = new Date(api.clock.now.getTime() + 60_000);
  for (const answer of [
    await scim.send(scimReplaceUser, { id, body: entraUser(address('same')) }),
    await scim.send(scimPatchUser, { id, body: patchOf({ op: 'replace', value: { id, active: true } }) }),
  ]) {
    expect(answer.body).toEqual(first.body);
  }
  expect(await entries()).toEqual(before);
});

describe('refusals', () => {
  it('an invalid user', async () => {
    const refused = async (body: unknown) => (await scim.send(scimCreateUser, { body })).body;
    expect(await refused({})).toMatchObject({
      status: '400',
      scimType: 'invalidValue',
      detail: 'userName must be a string',
    });
    expect(await refused([])).toMatchObject({ status: '400', detail: expect.stringContaining('body') });
    expect(await refused({ userName: 'nobody' })).toMatchObject({
      scimType: 'invalidValue',
      detail: 'A user needs an email address, in emails or as userName',
    });
    expect(await refused({ userName: 'a\u0000' })).toMatchObject({ scimType: 'invalidValue' });
    expect(await refused('{')).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
    expect(await refused('{"userName":"a@b.test","__proto__":{"x":1}}')).toMatchObject({ status: '400' });
    expect(await refused('{"userName":"a@b.test","USERNAME":"c@b.test"}')).toMatchObject({ scimType: 'invalidSyntax' });
    expect(await entries()).toEqual(['membership.added']);
  });

  it('a name or an address that another user has', async () => {
    const id = await provision(entraUser(address('one')));
    const other = await provision(entraUser(address('two')));
    const uniqueness = { status: 409, body: { status: '409', scimType: 'uniqueness' } };
    expect(await scim.send(scimCreateUser, { body: entraUser(address('ONE')) })).toMatchObject(uniqueness);
    const sameAddress = entraUser(address('one'), { userName: 'another-name' });
    expect(await scim.send(scimCreateUser, { body: sameAddress })).toMatchObject(uniqueness);
    const rename = patchOf({ op: 'replace', path: 'userName', value: address('Two') });
    expect(await scim.send(scimPatchUser, { id, body: rename })).toMatchObject(uniqueness);
    expect(await scim.send(scimReplaceUser, { id, body: entraUser(address('two')) })).toMatchObject(uniqueness);
    expect((await scim.send(scimPatchUser, { id: other, body: rename })).body).toMatchObject({
      userName: address('Two'),
    });
  });

  it('a missing user, whatever the form of the id', async () => {
    for (const id of ['0198c0de-0000-7000-8000-000000000001', 'x', "'; drop table scim_user", '\u00e9']) {
      for (const contract of [scimGetUser, scimDeleteUser]) {
        expect((await scim.send(contract, { id })).status, id).toBe(404);
      }
      const body = patchOf({ op: 'replace', value: { active: false } });
      expect(await scim.send(scimPatchUser, { id, body })).toMatchObject({ status: 404, body: { status: '404' } });
      expect((await scim.send(scimReplaceUser, { id, body: entraUser(address('x')) })).status).toBe(404);
    }
  });

  it('a patch that is none, or that names nothing a user has', async () => {
    const id = await provision(entraUser(address('patched')));
    const refused = async (body: unknown) => (await scim.send(scimPatchUser, { id, body })).body;
    expect(await refused({ Operations: [] })).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
    expect(await refused(patchOf({ op: 'replace', path: 'actve', value: false }))).toMatchObject({
      scimType: 'invalidPath',
    });
    expect(await refused(patchOf({ op: 'replace', path: 'active', value: 'no' }))).toMatchObject({
      scimType: 'invalidValue',
    });
    expect(await refused(patchOf({ op: 'replace', path: 'id', value: 'x' }))).toMatchObject({ scimType: 'mutability' });
    expect(await refused(patchOf({ op: 'remove' }))).toMatchObject({ scimType: 'noTarget' });
  });
});

describe('finding users', () => {
  it('by each attribute, and page by page', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      api.clock.now = new Date(api.clock.now.getTime() + 1000);
      ids.push(await provision(entraUser(address(name), { displayName: `User ${name}` })));
    }
    const find = async (filter: string) =>
      (await scim.send(scimListUsers, { query: { filter } })).body.Resources.map(({ id }) => ids.indexOf(id));
    expect(await find(`userName eq "${address('B')}"`)).toEqual([1]);
    expect(await find(`externalId eq "entra-${address('b')}"`)).toEqual([1]);
    expect(await find(`externalId eq "ENTRA-${address('b')}"`)).toEqual([]);
    expect(await find(`id eq "${ids[2]}"`)).toEqual([2]);
    expect(await find('id eq "x"')).toEqual([]);
    expect(await find(`emails[type eq "work"].value eq "${address('A')}"`)).toEqual([0]);
    expect(await find(`emails.value eq "${address('a')}" and active eq true`)).toEqual([0]);
    expect(await find(`displayName eq "user c"`)).toEqual([2]);
    expect(await find('active eq false')).toEqual([]);
    expect(await find('')).toEqual([0, 1, 2]);
    const page = async (query: Record<string, string>) => {
      const { body } = await scim.send(scimListUsers, { query });
      const { totalResults, startIndex, itemsPerPage } = body;
      return [totalResults, startIndex, itemsPerPage, body.Resources.map(({ id }) => ids.indexOf(id))];
    };
    expect(await page({ startIndex: '2', count: '1' })).toEqual([3, 2, 1, [1]]);
    expect(await page({ startIndex: '4', count: '1' })).toEqual([3, 4, 0, []]);
    expect(await page({ count: '0' })).toEqual([3, 1, 0, []]);
    expect(await page({ startIndex: '2147483647' })).toEqual([3, 2147483647, 0, []]);
    const names = await scim.send(scimListUsers, { query: { attributes: 'userName', count: '1' } });
    expect(Object.keys(names.body.Resources[0] ?? {})).toEqual(['schemas', 'id', 'userName']);
    const flagged = await scim.send(scimListUsers, { query: { aadOptscim062020: '', count: '1' } });
    expect(flagged.status).toBe(200);
  });

  it.each([
    'userName co "a"',
    'userName eq "a" or userName eq "b"',
    'password eq "x"',
    '__proto__ eq "x"',
    'constructor eq "x"',
    'userName eq "\\u0000"',
    `userName eq "${'\\\\'.repeat(900)}`,
    `${'('.repeat(1000)}`,
    `userName eq "a"${' and userName eq "a"'.repeat(300)}`,
    "userName eq 'a' or 1=1",
  ])('the filter %s is refused', async (filter) => {
    expect(await scim.send(scimListUsers, { query: { filter } })).toMatchObject({
      status: 400,
      type: 'application/scim+json; charset=utf-8',
      body: { scimType: expect.stringMatching(/^invalid(Filter|Value)$/) },
    });
  });

  it('a text in a filter is compared and nothing else', async () => {
    const find = (filter: string) => scim.send(scimListUsers, { query: { filter } });
    for (const text of ["' or 1=1 --", '%', '_', '\\\\', '*']) {
      expect((await find(`userName eq "${text}"`)).body, text).toMatchObject({ totalResults: 0 });
      expect((await find(`emails.value eq "${text}"`)).body, text).toMatchObject({ totalResults: 0 });
    }
    for (const query of [{ count: 'x' }, { startIndex: '1.5' }, { count: '9'.repeat(15) }]) {
      expect([200, 400]).toContain((await scim.send(scimListUsers, { query })).status);
    }
  });
});

describe('races', () => {
  it('of one user with itself make one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => scim.send(scimCreateUser, { body: entraUser(address('raced')) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)]);
    expect((await entries()).filter((type) => type === 'scim_user.provisioned')).toHaveLength(1);
  });

  it('of two orgs for somebody who has no account yet make one account', async () => {
    const second = await api.givenOrg(`second-${count}`);
    const others = await givenScim(api, second);
    for (let round = 0; round < 8; round++) {
      const email = address(`shared-${round}`);
      const answers = await Promise.all(
        [scim, others].map((one) => one.send(scimCreateUser, { body: oktaUser(email) })),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(await api.db.selectFrom('user_account').select('id').where('email', '=', email).execute()).toHaveLength(1);
    }
  });

  it('of changes lose none, and are counted without gaps', async () => {
    const id = await provision(entraUser(address('changed')));
    const change = (i: number) => patchOf({ op: 'Add', path: 'emails', value: [{ value: `n${i}@example.test` }] });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => scim.send(scimPatchUser, { id, body: change(i) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const { body } = await scim.send(scimGetUser, { id });
    expect(body['emails']).toHaveLength(11);
    const counted = (await api.journal(org)).filter(({ type }) => type.startsWith('scim_user.'));
    expect(counted.map(({ subject_seq }) => subject_seq)).toEqual(Array.from({ length: 11 }, (_, i) => i + 1));
  });
});

it.each(['İlk', 'ΑΣ', 'Straße', 'K'])('finds the account of %s from another org', async (local) => {
  const [email, other] = [address(local), await api.givenOrg(`elsewhere-${++count}`)];
  const first = await scim.send(scimCreateUser, { body: entraUser(email) });
  const second = await (await givenScim(api, other)).send(scimCreateUser, { body: entraUser(email) });
  expect([first.status, second.status]).toEqual([201, 201]);
});
