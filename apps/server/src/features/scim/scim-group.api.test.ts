import {
  listFlows,
  mapScimGroup,
  putFlow,
  type Role,
  scimCreateGroup,
  scimCreateUser,
  scimDeleteGroup,
  scimGetGroup,
  scimListGroups,
  scimPatchGroup,
  scimReplaceGroup,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenPerson, type Person } from '../../../test/given/people.ts';
import {
  addMembers,
  entraUser,
  givenScim,
  groupOf,
  patchOf,
  removeMembers,
  type ScimClient,
} from '../../../test/given/scim.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const statements: string[] = [];
const api = await startApi({ onQuery: (text) => statements.push(text) });
let org: TestOrg;
let scim: ScimClient;
let count = 0;

beforeEach(async () => {
  org = await api.givenOrg(`scim-groups-${++count}`);
  scim = await givenScim(api, org);
});

interface Provisioned extends Person {
  readonly scimId: string;
}

const givenUser = async (name: string): Promise<Provisioned> => {
  const person = await givenPerson(api, { email: `${name}-${count}@example.test` });
  const { body } = await scim.send(scimCreateUser, { body: entraUser(person.email, { displayName: name }) });
  return { ...person, scimId: body.id };
};
const givenGroup = async (name: string, role: Role | null, ...members: Provisioned[]) => {
  const body = groupOf(name, ...members.map(({ scimId }) => scimId));
  const answer = await scim.send(scimCreateGroup, { body });
  expect(answer.status).toBe(201);
  if (role !== null) await map(answer.body.id, role);
  return answer.body.id;
};
const map = (id: string, role: Role | null) =>
  api.call(mapScimGroup, { params: { org: org.name, id }, key: org.keys.admin, body: { role } });
const patch = (id: string, body: unknown) => scim.send(scimPatchGroup, { id, body });
const membersOf = async (id: string) => (await scim.send(scimGetGroup, { id })).body.members.map(({ value }) => value);
const roleOf = async ({ id }: Person) => {
  const row = await api.db
    .selectFrom('membership')
    .select('role')
    .where('org_id', '=', org.id)
    .where('user_id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row?.role ?? null;
};
const groupEntries = async () =>
  (await api.journal(org))
    .filter(({ type }) => type.startsWith('scim_group.'))
    .map(({ type, payload }) => [type, payload]);

it('is created, found, filled, renamed and removed as providers do it', async () => {
  const [ann, bob] = [await givenUser('Ann'), await givenUser('Bob')];
  const find = (filter: string) => scim.send(scimListGroups, { query: { filter, excludedAttributes: 'members' } });
  expect((await find('displayName eq "Engineers"')).body.totalResults).toBe(0);
  const entra = {
    schemas: [
      'urn:ietf:params:scim:schemas:core:2.0:Group',
      'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
    ],
    externalId: 'e-1',
    displayName: 'Engineers',
    meta: { resourceType: 'Group' },
  };
  const created = await scim.send(scimCreateGroup, { body: entra });
  const { id } = created.body;
  expect(created).toMatchObject({ status: 201, body: { displayName: 'Engineers', externalId: 'e-1', members: [] } });
  expect(created.headers.get('location')).toBe(`${scim.baseUrl}/Groups/${id}`);
  expect((await find('displayName eq "engineers"')).body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
  expect((await find('externalId eq "e-1"')).body.Resources[0]).not.toHaveProperty('members');

  expect(await patch(id, addMembers(ann.scimId, bob.scimId))).toMatchObject({ status: 204, type: null });
  expect((await scim.send(scimGetGroup, { id })).body.members).toEqual([
    { value: ann.scimId, display: 'Ann' },
    { value: bob.scimId, display: 'Bob' },
  ]);
  const isIn = async ({ scimId }: Provisioned) =>
    (await find(`id eq "${id}" and members eq "${scimId}"`)).body.totalResults;
  expect([await isIn(ann), await isIn(bob)]).toEqual([1, 1]);
  await patch(id, patchOf({ op: 'remove', path: `members[value eq "${bob.scimId}"]` }));
  expect([await isIn(ann), await isIn(bob)]).toEqual([1, 0]);

  await patch(id, patchOf({ op: 'replace', value: { id, displayName: 'Makers' } }));
  const put = await scim.send(scimReplaceGroup, { id, body: { ...groupOf('Makers', bob.scimId), externalId: 'e-1' } });
  expect(put.body).toMatchObject({ displayName: 'Makers', members: [{ value: bob.scimId }] });
  expect(await scim.send(scimDeleteGroup, { id })).toMatchObject({ status: 204, type: null });
  for (const contract of [scimGetGroup, scimDeleteGroup]) expect((await scim.send(contract, { id })).status).toBe(404);
  expect(await groupEntries()).toEqual([
    ['scim_group.created', { display_name: 'Engineers', members: 0 }],
    ['scim_group.changed', { display_name: 'Engineers', added: 2, removed: 0 }],
    ['scim_group.changed', { display_name: 'Engineers', added: 0, removed: 1 }],
    ['scim_group.changed', { display_name: 'Makers', added: 0, removed: 0 }],
    ['scim_group.changed', { display_name: 'Makers', added: 1, removed: 1 }],
    ['scim_group.deleted', { display_name: 'Makers' }],
  ]);
});

it('the highest role of all groups counts, from the next request on', async () => {
  const ann = await givenUser('Ann');
  const statuses = async () =>
    Promise.all(
      [listFlows, putFlow].map(
        async (contract) => (await api.call(contract, { params: { org: org.name }, key: ann.key })).status,
      ),
    );
  const readers = await givenGroup('Readers', 'reader', ann);
  expect(await statuses()).toEqual([200, 403]);
  const members = await givenGroup('Members', 'member');
  await patch(members, addMembers(ann.scimId));
  expect(await statuses()).toEqual([200, 400]);
  await givenGroup('Unmapped', null, ann);
  await patch(readers, removeMembers(ann.scimId));
  expect(await roleOf(ann)).toBe('member');
  await map(members, 'snapshotter');
  expect(await roleOf(ann)).toBe('snapshotter');
  await map(readers, 'admin');
  expect(await roleOf(ann)).toBe('snapshotter');
  await scim.send(scimReplaceGroup, { id: readers, body: groupOf('Readers', ann.scimId) });
  expect(await roleOf(ann)).toBe('admin');
  await scim.send(scimDeleteGroup, { id: readers });
  expect(await roleOf(ann)).toBe('snapshotter');
  await map(members, null);
  expect(await roleOf(ann)).toBeNull();
  expect(await statuses()).toEqual([403, 403]);
});

it('the last admin stays, whichever way a group loses them', async () => {
  const [root, ann] = [await givenUser('Root'), await givenUser('Ann')];
  const admins = await givenGroup('Admins', 'admin', root);
  await sql`update membership set removed_at = now() where org_id = ${org.id} and user_id <> ${root.id}`.execute(
    api.db,
  );
  const detail = `'${root.login}' is the last admin of the org: make another person admin first`;
  const before = await groupEntries();
  for (const answer of [
    await patch(admins, removeMembers(root.scimId)),
    await patch(admins, patchOf({ op: 'remove', path: 'members' })),
    await scim.send(scimReplaceGroup, { id: admins, body: groupOf('Admins') }),
    await scim.send(scimDeleteGroup, { id: admins }),
  ]) {
    expect(answer).toMatchObject({ status: 409, body: { status: '409', detail } });
  }
  expect([await roleOf(root), await membersOf(admins)]).toEqual(['admin', [root.scimId]]);
  expect(await groupEntries()).toEqual(before);
  // It does not matter who is admin afterwards.
  expect(await scim.send(scimReplaceGroup, { id: admins, body: groupOf('Admins', ann.scimId) })).toMatchObject({
    status: 200,
  });
  expect([await roleOf(root), await roleOf(ann)]).toEqual([null, 'admin']);
});

it('what changes nothing is taken and not recorded', async () => {
  const ann = await givenUser('Ann');
  const id = await givenGroup('Same', 'reader', ann);
  const before = await groupEntries();
  const { body } = await scim.send(scimGetGroup, { id });
  api.clock.now = new Date(api.clock.now.getTime() + 60_000);
  expect((await patch(id, addMembers(ann.scimId))).status).toBe(204);
  expect((await patch(id, removeMembers('nobody', '0198c0de-0000-7000-8000-000000000001'))).status).toBe(204);
  expect((await patch(id, patchOf({ op: 'replace', value: { id, displayName: 'Same' } }))).status).toBe(204);
  expect((await scim.send(scimReplaceGroup, { id, body: groupOf('Same', ann.scimId) })).body).toEqual(body);
  expect(await groupEntries()).toEqual(before);
});

it('a patch with several operations is done as a whole or not at all', async () => {
  const [ann, bob] = [await givenUser('Ann'), await givenUser('Bob')];
  const id = await givenGroup('Whole', 'reader', ann);
  const broken = patchOf(
    { op: 'add', path: 'members', value: [{ value: bob.scimId }] },
    { op: 'remove', path: `members[value eq "${ann.scimId}"]` },
    { op: 'add', path: 'members', value: [{ value: '0198c0de-0000-7000-8000-000000000001' }] },
  );
  expect(await patch(id, broken)).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
  expect([await membersOf(id), await roleOf(ann), await roleOf(bob)]).toEqual([[ann.scimId], 'reader', null]);
});

describe('refusals', () => {
  it('an invalid group', async () => {
    const refused = async (body: unknown) => (await scim.send(scimCreateGroup, { body })).body;
    expect(await refused({})).toMatchObject({
      status: '400',
      scimType: 'invalidValue',
      detail: 'displayName must be a string',
    });
    expect(await refused({ displayName: 'G', members: 'x' })).toMatchObject({ scimType: 'invalidSyntax' });
    const nested = await givenGroup('Inner', null);
    expect(await refused(groupOf('Outer', nested))).toMatchObject({
      scimType: 'invalidValue',
      detail: `User '${nested}' does not exist; nested groups are not supported`,
    });
    expect(await refused(groupOf('Outer', 'x'))).toMatchObject({ scimType: 'invalidValue' });
    expect(await refused(groupOf('inner'))).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
      detail: "Group 'inner' already exists",
    });
    expect((await groupEntries()).length).toBe(1);
  });

  it('a user of another org as member', async () => {
    const ann = await givenUser('Ann');
    const other = await givenScim(api, await api.givenOrg(`others-${count}`));
    const answer = await other.send(scimCreateGroup, { body: groupOf('Stolen', ann.scimId) });
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
  });

  it('a name that another group has', async () => {
    await givenGroup('One', null);
    const id = await givenGroup('Two', null);
    const uniqueness = { status: 409, body: { scimType: 'uniqueness' } };
    expect(await patch(id, patchOf({ op: 'replace', path: 'displayName', value: 'ONE' }))).toMatchObject(uniqueness);
    expect(await scim.send(scimReplaceGroup, { id, body: groupOf('One') })).toMatchObject(uniqueness);
    expect((await patch(id, patchOf({ op: 'replace', path: 'displayName', value: 'TWO' }))).status).toBe(204);
  });

  it('a missing group, whatever the form of the id', async () => {
    for (const id of ['0198c0de-0000-7000-8000-000000000001', 'x', "'; drop table scim_group"]) {
      expect((await scim.send(scimGetGroup, { id })).status).toBe(404);
      expect((await scim.send(scimDeleteGroup, { id })).status).toBe(404);
      expect((await patch(id, removeMembers())).status).toBe(404);
      expect(await scim.send(scimReplaceGroup, { id, body: groupOf('x') })).toMatchObject({
        status: 404,
        body: { status: '404', detail: `Group '${id}' does not exist in this org` },
      });
    }
  });

  it.each(['displayName co "a"', 'role eq "admin"', '__proto__ eq "x"', 'displayName eq "\\u0000"'])(
    'the filter %s',
    async (filter) => {
      expect(await scim.send(scimListGroups, { query: { filter } })).toMatchObject({
        status: 400,
        body: { scimType: 'invalidFilter' },
      });
    },
  );
});

describe('races', () => {
  it('of one group with itself make one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => scim.send(scimCreateGroup, { body: groupOf('Raced') })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  it('of patches lose no member, and all have their role', async () => {
    const id = await givenGroup('Crowd', 'reader');
    const users = await Promise.all(Array.from({ length: 12 }, (_, i) => givenUser(`U${i}`)));
    const answers = await Promise.all(users.map(({ scimId }) => patch(id, addMembers(scimId))));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(204));
    expect((await membersOf(id)).sort()).toEqual(users.map(({ scimId }) => scimId).sort());
    const [remaining, gone] = [users.slice(0, 6), users.slice(6)];
    await Promise.all([
      ...gone.map(({ scimId }) => patch(id, removeMembers(scimId))),
      ...remaining.map(({ scimId }) => patch(id, addMembers(scimId))),
    ]);
    expect((await membersOf(id)).sort()).toEqual(remaining.map(({ scimId }) => scimId).sort());
    expect(await Promise.all(users.map(roleOf))).toEqual([...Array(6).fill('reader'), ...Array(6).fill(null)]);
    const counted = (await api.journal(org)).filter(({ type }) => type.startsWith('scim_group.'));
    expect(counted.map(({ subject_seq }) => subject_seq)).toEqual(counted.map((_, i) => i + 1));
  });
});

describe('ten thousand members', { timeout: 600_000 }, () => {
  const SIZE = 10_000;

  const givenCrowd = async (): Promise<string[]> => {
    await sql`
      with person as (
        insert into user_account (id, login, email, created_at, personal_org_id)
        select gen_random_uuid(), 'crowd-' || ${count}::int || '-' || i, 'crowd-' || ${count}::int || '-' || i || '@example.test', now(), ${org.id}
        from generate_series(1, ${SIZE}::int) as i returning id, email
      )
      insert into scim_user (org_id, id, user_id, user_name, active, name, emails, addresses, created_at, last_modified_at)
      select ${org.id}, gen_random_uuid(), id, email, true, '{}', '[]', '{}', now(), now() from person`.execute(api.db);
    const rows = await api.db.selectFrom('scim_user').select('id').where('org_id', '=', org.id).execute();
    return rows.map(({ id }) => id);
  };
  const memberships = async () => {
    const { rows } = await sql<{ role: string; count: number }>`
      select role, count(*) from membership where org_id = ${org.id} and removed_at is null group by role order by role`.execute(
      api.db,
    );
    return Object.fromEntries(rows.map((row) => [row.role, row.count]));
  };

  it('come, get their role, and go in few seconds', async () => {
    const ids = await givenCrowd();
    const started = performance.now();
    const created = await scim.send(scimCreateGroup, { body: groupOf('All', ...ids) });
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect(created.body.members).toHaveLength(SIZE);
    expect(await map(id, 'reader')).toMatchObject({ status: 200, body: { members: SIZE } });
    expect(await memberships()).toEqual({ admin: 1, reader: SIZE });
    const remaining = ids.slice(0, SIZE / 2);
    expect((await scim.send(scimReplaceGroup, { id, body: groupOf('All', ...remaining) })).status).toBe(200);
    expect(await memberships()).toEqual({ admin: 1, reader: SIZE / 2 });
    expect((await patch(id, addMembers(...ids))).status).toBe(204);
    expect(await memberships()).toEqual({ admin: 1, reader: SIZE });
    expect((await scim.send(scimDeleteGroup, { id })).status).toBe(204);
    expect(await memberships()).toEqual({ admin: 1 });
    console.log(`scim: five changes of ${SIZE} members in ${Math.round(performance.now() - started)} ms`);
  });

  it('are written a thousand in a statement', async () => {
    const ids = await givenCrowd();
    const countOf = (start: RegExp) => statements.filter((text) => start.test(text.trim())).length;
    statements.length = 0;
    const { body } = await scim.send(scimCreateGroup, { body: groupOf('All', ...ids) });
    expect(countOf(/^insert into scim_group_member/)).toBe(SIZE / 1_000);
    await map(body.id, 'reader');
    expect(countOf(/^insert into membership /)).toBe(SIZE / 1_000);
    expect(countOf(/^update "scim_user" set "role_given"/)).toBe(SIZE / 1_000);
    expect((await scim.send(scimDeleteGroup, { id: body.id })).status).toBe(204);
    expect(countOf(/^delete from scim_group_member/)).toBe(SIZE / 1_000);
    expect(countOf(/^update "session"/)).toBe(SIZE / 1_000);
    expect(await memberships()).toEqual({ admin: 1 });
  });

  it('in one group make the page of groups shorter, and none is passed over', async () => {
    const ids = await givenCrowd();
    for (let i = 0; i < 7; i++) {
      api.clock.now = new Date(api.clock.now.getTime() + 1000);
      const { body } = await scim.send(scimCreateGroup, { body: groupOf(`G${i}`, ...(i < 6 ? ids : [])) });
      expect(body.members).toHaveLength(i < 6 ? SIZE : 0);
    }
    const names: unknown[] = [];
    for (let startIndex = 1; startIndex <= 7; ) {
      const { body } = await scim.send(scimListGroups, { query: { startIndex: String(startIndex) } });
      expect(body).toMatchObject({ totalResults: 7, itemsPerPage: body.Resources.length });
      names.push(...body.Resources.map((group) => group['displayName']));
      startIndex += body.itemsPerPage;
    }
    expect(names).toEqual(Array.from({ length: 7 }, (_, i) => `G${i}`));
    const slim = await scim.send(scimListGroups, { query: { excludedAttributes: 'members' } });
    expect(slim.body).toMatchObject({ totalResults: 7, itemsPerPage: 7 });
  });
});

it('more groups than an org may have are refused', async () => {
  await sql`
    insert into scim_group (org_id, id, display_name, created_at, last_modified_at)
    select ${org.id}, gen_random_uuid(), 'many-' || i, now(), now() from generate_series(1, 1000) as i`.execute(api.db);
  expect(await scim.send(scimCreateGroup, { body: groupOf('One more') })).toMatchObject({
    status: 400,
    body: { scimType: 'invalidValue', detail: 'An org can have at most 1000 groups. Provision fewer groups' },
  });
});
