import {
  createServiceAccount,
  createServiceAccountKey,
  deleteServiceAccount,
  getServiceAccount,
  listFlows,
  listServiceAccountKeys,
  listServiceAccounts,
  putFlow,
  type Role,
  roles,
  updateServiceAccount,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenPerson, type Person } from '../../../test/given/people.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const api = await startApi();

let org: TestOrg;
let admin: Person;
let member: Person;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`accounts-${++count}`);
  admin = await givenPerson(api, { org, role: 'admin' });
  member = await givenPerson(api, { org, role: 'member' });
});

const in_ = (name: string, key: string) => ({ params: { org: org.name, name }, key });
const create = (
  body: { name: string; privilege?: Role; description?: string | null; display_name?: string | null },
  key = admin.key,
) => api.call(createServiceAccount, { params: { org: org.name }, key, body });
const get = (name: string, key = admin.key) => api.call(getServiceAccount, in_(name, key));
const list = async (key = admin.key) =>
  (await api.call(listServiceAccounts, { params: { org: org.name }, key })).body.map(({ name }) => name);
const update = (
  name: string,
  body: { description?: string | null; privilege?: Role | null; display_name?: string | null },
  key = admin.key,
) => api.call(updateServiceAccount, { ...in_(name, key), body });
const remove = (name: string, key = admin.key) => api.call(deleteServiceAccount, in_(name, key));
const newKey = async (name: string, key = admin.key) =>
  (await api.call(createServiceAccountKey, { ...in_(name, key), body: { description: 'test' } })).body.key;
const calls = async (key: string) => (await api.call(listFlows, { params: { org: org.name }, key })).status;
/** Entries recorded since the org was created. */
const entries = async () =>
  (await api.journal(org)).filter(({ type, actor }) => type.startsWith('service_account.') && actor !== 'tests');

describe('creating a service account', () => {
  it('answers it, shows it afterwards and records it', async () => {
    const answer = await create({ name: 'ci-1', privilege: 'member', description: 'builds' });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      name: 'ci-1',
      display_name: 'ci-1',
      privilege: 'member',
      description: 'builds',
      creating_user_id: admin.id,
      made_by: admin.login,
      suspended_keys: 0,
      created_at: api.clock.now.getTime() / 1000,
      for_webhook: false,
    });
    expect(await get('ci-1')).toMatchObject({ status: 200, body: answer.body });
    expect(await entries()).toEqual([
      {
        type: 'service_account.created',
        subject_seq: 1,
        actor: admin.login,
        payload: { name: 'ci-1', privilege: 'member', description: 'builds', display_name: null },
      },
    ]);
  });

  it('makes a reader without a description by default', async () => {
    expect((await create({ name: 'plain' })).body).toMatchObject({ privilege: 'reader', description: '' });
    expect((await create({ name: 'null', description: null })).body).toMatchObject({ description: '' });
  });

  it.each([
    [{ name: '' }, { name: 'must have 1 to 64 letters, digits, or hyphens' }],
    [{ name: 'a_b' }, { name: 'must have 1 to 64 letters, digits, or hyphens' }],
    [{ name: 'x'.repeat(65) }, { name: 'must have 1 to 64 letters, digits, or hyphens' }],
    [{}, { name: 'is required' }],
    [{ name: 'a', privilege: 'owner' }, { privilege: 'must be one of reader, snapshotter, member, admin' }],
    [{ name: 'a', description: 'x'.repeat(513) }, { description: 'must be at most 512 characters long' }],
    [{ name: 'a', display_name: 'x'.repeat(256) }, { display_name: 'must be at most 255 characters long' }],
    [{ name: 'a', display_name: 5 }, { display_name: 'must be text' }],
    [{ name: 'a', for_webhook: true }, { for_webhook: 'is unknown' }],
    [{ name: 'a', creating_user_id: 'x' }, { creating_user_id: 'is unknown' }],
  ])('refuses %j', async (body, errors) => {
    expect(await create(body as { name: string })).toMatchObject({ status: 400, body: { errors } });
    expect(await entries()).toEqual([]);
  });

  it('shows the display name that was given, and the name when none or an empty one was', async () => {
    const shown = async (name: string, display_name: string | null) =>
      (await create({ name, display_name })).body.display_name;
    expect(await shown('named', 'Build server “α” of the shop')).toBe('Build server “α” of the shop');
    expect((await get('named')).body.display_name).toBe('Build server “α” of the shop');
    expect(await shown('empty', '')).toBe('empty');
    expect(await shown('none', null)).toBe('none');
    expect((await entries()).map(({ payload }) => payload)).toMatchObject([
      { name: 'named', display_name: 'Build server “α” of the shop' },
      { name: 'empty', display_name: null },
      { name: 'none', display_name: null },
    ]);
  });

  it('refuses a name that is taken, and leaves what has it alone', async () => {
    await create({ name: 'ci', privilege: 'reader' });
    expect(await create({ name: 'ci', privilege: 'admin' })).toMatchObject({
      status: 400,
      body: { errors: { name: "is taken: service account 'ci' already exists" } },
    });
    expect((await get('ci')).body.privilege).toBe('reader');
    expect(await entries()).toHaveLength(1);
  });

  it('makes one of racing requests succeed', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'race' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 400)]);
    expect(await entries()).toHaveLength(1);
  });

  it('answers a repeat with the same Idempotency-Key as the first time', async () => {
    const once = () =>
      api.call(createServiceAccount, {
        params: { org: org.name },
        key: admin.key,
        headers: { 'idempotency-key': 'k-1' },
        body: { name: 'once' },
      });
    const first = await once();
    expect(first.status).toBe(201);
    expect(await once()).toMatchObject({ status: 201, body: first.body });
    expect(await entries()).toHaveLength(1);
  });

  it('is for shared orgs', async () => {
    expect(
      await api.call(createServiceAccount, { params: { org: admin.login }, key: admin.key, body: { name: 'ci' } }),
    ).toMatchObject({
      status: 400,
      body: { message: 'Service accounts exist only in shared orgs, and this is a personal org', errors: null },
    });
    expect(await api.call(listServiceAccounts, { params: { org: admin.login }, key: admin.key })).toMatchObject({
      status: 200,
      body: [],
    });
  });

  it('grants nothing above the role of who creates it', async () => {
    expect(await create({ name: 'above', privilege: 'admin' }, member.key)).toMatchObject({
      status: 403,
      body: { message: 'You cannot grant a higher role than your own: this requires the admin role; yours is member' },
    });
    expect((await get('above')).status).toBe(404);
    expect((await create({ name: 'equal', privilege: 'member' }, member.key)).status).toBe(201);
    expect((await create({ name: 'top', privilege: 'admin' })).status).toBe(201);
  });

  it('may be done by a service account, which then is who created it', async () => {
    expect((await create({ name: 'child' }, org.keys.member)).status).toBe(201);
    expect((await get('child', org.keys.member)).status).toBe(200);
    expect(await list(org.keys.member)).toEqual(['child']);
    expect((await get('child', member.key)).status).toBe(403);
  });
});

describe('listing service accounts', () => {
  it('shows admins all, by name, and others their own', async () => {
    await create({ name: 'of-admin' });
    await create({ name: 'of-member' }, member.key);
    expect(await list()).toEqual(['member', 'of-admin', 'of-member', 'reader', 'snapshotter']);
    expect(await list(member.key)).toEqual(['of-member']);
  });

  it('goes on after a cursor, and refuses what is none', async () => {
    const after = Buffer.from(JSON.stringify(['member', 'member'])).toString('base64url');
    const call = (cursor: string) =>
      api.call(listServiceAccounts, { params: { org: org.name }, key: admin.key, query: { after: cursor } });
    expect((await call(after)).body.map(({ name }) => name)).toEqual(['reader', 'snapshotter']);
    expect(await call('?')).toMatchObject({ status: 400, body: { errors: { 'query.after': expect.any(String) } } });
  });

  it('says nothing of an operator who made one', async () => {
    expect((await get('reader')).body.creating_user_id).toBe('');
  });
});

describe('changing a service account', () => {
  it('replaces what is given, clears a description with null, and leaves the rest', async () => {
    await create({ name: 'ci', privilege: 'member', description: 'builds' });
    expect((await update('ci', { privilege: 'reader' })).body).toMatchObject({
      privilege: 'reader',
      description: 'builds',
    });
    expect((await update('ci', { description: null })).body).toMatchObject({ privilege: 'reader', description: '' });
    expect((await update('ci', { description: 'again', privilege: null })).body).toMatchObject({
      privilege: 'reader',
      description: 'again',
    });
    expect((await entries()).slice(1)).toEqual([
      {
        type: 'service_account.updated',
        subject_seq: 2,
        actor: admin.login,
        payload: {
          name: 'ci',
          privilege: 'reader',
          previous_privilege: 'member',
          description: 'builds',
          display_name: null,
        },
      },
      expect.objectContaining({ subject_seq: 3 }),
      expect.objectContaining({ subject_seq: 4 }),
    ]);
  });

  it('gives another display name, leaves it, and restores the name', async () => {
    await create({ name: 'ci', privilege: 'member' });
    expect((await update('ci', { display_name: 'Builder' })).body).toMatchObject({ display_name: 'Builder' });
    expect((await update('ci', { description: 'builds' })).body).toMatchObject({ display_name: 'Builder' });
    expect((await update('ci', { display_name: 'Builder' })).body).toMatchObject({ display_name: 'Builder' });
    expect((await update('ci', { display_name: null })).body).toMatchObject({ display_name: 'ci' });
    await update('ci', { display_name: 'Builder' });
    expect((await update('ci', { display_name: '' })).body).toMatchObject({ display_name: 'ci' });
    expect((await update('ci', { display_name: 'ci' })).body).toMatchObject({ display_name: 'ci' });
    expect((await get('ci')).body.display_name).toBe('ci');
    expect((await entries()).slice(1).map(({ payload }) => payload)).toMatchObject([
      { display_name: 'Builder', description: '' },
      { display_name: 'Builder', description: 'builds' },
      { display_name: null },
      { display_name: 'Builder' },
      { display_name: null },
    ]);
  });

  it('records nothing when nothing changes', async () => {
    await create({ name: 'ci', privilege: 'member' });
    expect(await update('ci', {})).toMatchObject({ status: 200 });
    expect(await update('ci', { privilege: 'member', description: '' })).toMatchObject({ status: 200 });
    expect(await entries()).toHaveLength(1);
  });

  it('makes racing equal changes one, and takes different ones in turn', async () => {
    await create({ name: 'ci' });
    const same = await Promise.all(Array.from({ length: 6 }, () => update('ci', { description: 'x' })));
    expect(new Set(same.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await entries()).toHaveLength(2);
    await Promise.all(['a', 'b', 'c', 'd'].map((description) => update('ci', { description })));
    expect((await entries()).map((entry) => entry.subject_seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('is felt by its keys on their next request', async () => {
    await create({ name: 'ci', privilege: 'reader' });
    const key = await newKey('ci');
    const write = () => api.call(putFlow, { params: { org: org.name }, key, body: { name: 'f' } });
    expect((await write()).status).toBe(403);
    await update('ci', { privilege: 'member' });
    expect((await write()).status).toBe(201);
    await update('ci', { privilege: 'reader' });
    expect((await write()).status).toBe(403);
  });

  it('grants nothing above the role of who changes it, but may lower', async () => {
    await create({ name: 'mine', privilege: 'reader' }, member.key);
    expect(await update('mine', { privilege: 'admin' }, member.key)).toMatchObject({
      status: 403,
      body: { message: 'You cannot grant a higher role than your own: this requires the admin role; yours is member' },
    });
    expect((await update('mine', { privilege: 'admin' })).status).toBe(200);
    expect((await update('mine', { description: 'still mine' }, member.key)).status).toBe(200);
    expect((await update('mine', { privilege: 'member' }, member.key)).body.privilege).toBe('member');
  });

  it.each([
    [{ name: 'other' }, { name: 'is unknown' }],
    [{ privilege: 'root' }, { privilege: 'must be one of reader, snapshotter, member, admin' }],
    [{ description: 'x'.repeat(513) }, { description: 'must be at most 512 characters long' }],
    [{ creating_user_id: 'x' }, { creating_user_id: 'is unknown' }],
  ])('refuses %j', async (body, errors) => {
    await create({ name: 'ci' });
    expect(await update('ci', body as object)).toMatchObject({ status: 400, body: { errors } });
  });
});

describe('deleting a service account', () => {
  it('revokes its keys at once, frees the name, and is 404 the second time', async () => {
    await create({ name: 'ci' });
    const keys = [await newKey('ci'), await newKey('ci')];
    expect(await Promise.all(keys.map(calls))).toEqual([200, 200]);
    expect(await remove('ci')).toMatchObject({ status: 200, body: expect.stringContaining("'ci' deleted") });
    expect(await Promise.all(keys.map(calls))).toEqual([401, 401]);
    expect(await remove('ci')).toMatchObject({
      status: 404,
      body: { message: "Service account 'ci' does not exist in this org" },
    });
    expect(await get('ci')).toMatchObject({ status: 404 });
    expect(await list()).not.toContain('ci');
    expect((await entries()).at(-1)).toEqual({
      type: 'service_account.deleted',
      subject_seq: 2,
      actor: admin.login,
      payload: { name: 'ci', revoked_keys: 2 },
    });

    expect((await create({ name: 'ci' })).status).toBe(201);
    expect((await api.call(listServiceAccountKeys, in_('ci', admin.key))).body).toEqual([]);
    expect(await Promise.all(keys.map(calls))).toEqual([401, 401]);
  });

  it('happens once in a race', async () => {
    await create({ name: 'ci' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => remove('ci')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect((await entries()).filter(({ type }) => type === 'service_account.deleted')).toHaveLength(1);
  });

  it('leaves no good key behind when keys are made at the same time', async () => {
    await create({ name: 'ci' });
    const [, ...made] = await Promise.all([remove('ci'), ...Array.from({ length: 6 }, () => newKey('ci'))]);
    for (const key of made.filter((text) => text !== undefined)) expect(await calls(key)).toBe(401);
  });

  it('can be done by the account itself if it is an admin', async () => {
    await create({ name: 'self', privilege: 'admin' });
    const key = await newKey('self');
    expect((await remove('self', key)).status).toBe(200);
    expect(await calls(key)).toBe(401);
  });
});

describe('who may', () => {
  const operations = {
    get: (key: string) => get('theirs', key),
    update: (key: string) => update('theirs', { description: 'x' }, key),
    remove: (key: string) => remove('theirs', key),
  };

  it.each(Object.entries(operations))('%s: admins and its creator, nobody else', async (_, operation) => {
    const creator = await givenPerson(api, { org, role: 'member' });
    for (const key of [creator.key, admin.key]) {
      await create({ name: 'theirs' }, creator.key);
      expect(await operation(member.key)).toMatchObject({
        status: 403,
        body: {
          message:
            "Service account 'theirs' was created by another person: this requires the admin role; yours is member",
        },
      });
      expect((await operation(key)).status).toBe(200);
    }
  });

  it.each(Object.entries(operations))(
    '%s: not who created it once they are no member any more',
    async (_, operation) => {
      await create({ name: 'theirs' }, member.key);
      const reader = await givenPerson(api, { org, role: 'reader' });
      expect(await operation(reader.key)).toMatchObject({
        status: 403,
        body: { message: 'This requires the member role; yours is reader' },
      });
      await api.db
        .updateTable('membership')
        .set({ removed_at: api.clock.now })
        .where('org_id', '=', org.id)
        .where('user_id', '=', member.id)
        .execute();
      expect((await operation(member.key)).status).toBe(403);
    },
  );

  it.each(roles)('%s creates exactly when the table of permissions says so', async (role) => {
    const person = await givenPerson(api, { org, role });
    const allowed = role === 'admin' || role === 'member';
    expect((await create({ name: `by-${role}` }, person.key)).status).toBe(allowed ? 201 : 403);
    expect((await api.call(listServiceAccounts, { params: { org: org.name }, key: person.key })).status).toBe(
      allowed ? 200 : 403,
    );
  });

  it('keeps the admin of another org out, and never mixes two orgs with the same names', async () => {
    const other = await api.givenOrg(`others-${count}`);
    await create({ name: 'ci', description: 'ours' });
    for (const operation of Object.values({ ...operations, create: (key: string) => create({ name: 'x' }, key) })) {
      expect(await operation(other.keys.admin)).toMatchObject({
        status: 403,
        body: { message: 'There is no such org, or you are not a member of it' },
      });
    }
    const theirs = { params: { org: other.name, name: 'ci' }, key: other.keys.admin };
    expect((await api.call(getServiceAccount, theirs)).status).toBe(404);
    await api.call(createServiceAccount, { ...theirs, body: { name: 'ci' } });
    await api.call(deleteServiceAccount, theirs);
    expect((await get('ci')).body.description).toBe('ours');
  });

  it.each(['getServiceAccount', 'updateServiceAccount', 'deleteServiceAccount'])('%s: 404 for none', async (id) => {
    const operation = {
      getServiceAccount: get,
      updateServiceAccount: (name: string) => update(name, {}),
      deleteServiceAccount: remove,
    }[id];
    expect(await operation?.('nobody')).toMatchObject({
      status: 404,
      body: { message: "Service account 'nobody' does not exist in this org" },
    });
  });
});
