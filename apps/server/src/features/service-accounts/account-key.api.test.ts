import {
  API_KEYS_MAX,
  addWorkloadIdentity,
  createServiceAccount,
  createServiceAccountKey,
  getServiceAccountKey,
  listFlows,
  listServiceAccountKeys,
  type Role,
  revokeServiceAccountKey,
  rotateServiceAccountKey,
  turnOnScim,
  updateServiceAccount,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenPerson, type Person } from '../../../test/given/people.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { isKeyText } from '../../platform/http/key-text.ts';
import { createKey } from '../api-keys/api-key.service.ts';

const api = await startApi();

let org: TestOrg;
let admin: Person;
let member: Person;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`keys-${++count}`);
  admin = await givenPerson(api, { org, role: 'admin' });
  member = await givenPerson(api, { org, role: 'member' });
  await account('ci', 'member', member.key);
});

const seconds = () => api.clock.now.getTime() / 1000;
const params = (name: string, key_id = 'none') => ({ org: org.name, name, key_id });
const account = (name: string, privilege: Role, key = admin.key) =>
  api.call(createServiceAccount, { params: { org: org.name }, key, body: { name, privilege } });
const create = (name = 'ci', key = member.key, body: object = { description: 'deploys' }) =>
  api.call(createServiceAccountKey, { params: params(name), key, body: body as { description: string } });
const list = (name = 'ci', key = member.key) => api.call(listServiceAccountKeys, { params: params(name), key });
const get = (id: string, name = 'ci', key = member.key) =>
  api.call(getServiceAccountKey, { params: params(name, id), key });
const revoke = (id: string, name = 'ci', key = member.key) =>
  api.call(revokeServiceAccountKey, { params: params(name, id), key });
const rotate = (id: string, name = 'ci', key = member.key, body: object = {}) =>
  api.call(rotateServiceAccountKey, { params: params(name, id), key, body });
const calls = async (key: string) => (await api.call(listFlows, { params: { org: org.name }, key })).status;
const entries = async () =>
  (await api.journal(org)).filter(({ type, actor }) => type.startsWith('api_key.') && actor !== 'tests');
const owner = () => ({ kind: 'service_account', id: expect.any(String), name: 'ci' });

describe('creating a key', () => {
  it('shows its text once, keeps its digest, and records it', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      id: body.id,
      key: body.key,
      description: 'deploys',
      created_at: seconds(),
      expires_at: 0,
      scope: null,
      expiry_limited: false,
    });
    expect(isKeyText(body.key)).toBe(true);
    expect(await calls(body.key)).toBe(200);
    const { key: _, expiry_limited: __, ...shown } = body;
    const state = {
      last_used_at: null,
      replaced_by: null,
      made_by: member.login,
      suspended_at: null,
      suspends_at: null,
    };
    expect((await list()).body).toEqual([{ ...shown, ...state }]);
    expect((await get(body.id)).body).toEqual({
      ...shown,
      last_used_at: null,
      replaced_by: null,
      made_by: member.login,
      suspended_at: null,
      suspends_at: null,
    });
    expect(await entries()).toEqual([
      {
        type: 'api_key.created',
        subject_seq: 1,
        actor: member.login,
        payload: { description: 'deploys', owner: owner(), expires_at: null, scope: null },
      },
    ]);
  });

  it('takes an expiry, and refuses the key from then on', async () => {
    const expires_at = Math.ceil(seconds()) + 60;
    const { body } = await create('ci', member.key, { description: 'short', expires_at });
    expect(body.expires_at).toBe(expires_at);
    expect(await calls(body.key)).toBe(200);
    api.clock.now = new Date(expires_at * 1000);
    expect(await calls(body.key)).toBe(401);
    expect((await list()).body).toMatchObject([{ id: body.id, expires_at }]);
  });

  it.each([{ expires_at: 0 }, { expires_at: null }, {}])('never expires with %j', async (more) => {
    expect((await create('ci', member.key, { description: 'x', ...more })).body.expires_at).toBe(0);
  });

  it.each([
    [{}, { description: 'is required' }],
    [{ description: '' }, { description: 'must be at least 1 character long' }],
    [{ description: 'x'.repeat(257) }, { description: 'must be at most 256 characters long' }],
    [{ description: 'x', expires_at: 1 }, { expires_at: 'must be in the future, or 0 for never' }],
    [{ description: 'x', expires_at: -1 }, { expires_at: 'must be at least 0' }],
    [{ description: 'x', expires_at: 1.5 }, { expires_at: 'must be a whole number' }],
    [{ description: 'x', expires_at: 4_102_444_801 }, { expires_at: 'must be seconds since 1970, at most 4102444800' }],
    [{ description: 'x', purpose: 'scim' }, { purpose: 'is unknown' }],
  ])('refuses %j', async (body, errors) => {
    expect(await create('ci', member.key, body)).toMatchObject({ status: 400, body: { errors } });
    expect((await list()).body).toEqual([]);
    expect(await entries()).toEqual([]);
  });

  it('makes as many as there are requests, each with a text of its own', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create()));
    expect(new Set(answers.map(({ body }) => body.key)).size).toBe(6);
    expect((await list()).body).toHaveLength(6);
    expect(await entries()).toHaveLength(6);
  });

  it('makes one for an Idempotency-Key, which never shows it again', async () => {
    const once = () =>
      api.call(createServiceAccountKey, {
        params: params('ci'),
        key: member.key,
        headers: { 'idempotency-key': 'k-1' },
        body: { description: 'once' },
      });
    const first = await once();
    expect(first.status).toBe(201);
    const again = await once();
    expect(again).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': expect.stringContaining(`It created '${first.body.id}'`) } },
    });
    expect((await list()).body).toHaveLength(1);
    const stored = await api.db.selectFrom('idempotent_reply').selectAll().where('org_id', '=', org.id).execute();
    expect(JSON.stringify(stored)).not.toContain(first.body.key);
  });

  it('is stored as a digest alone', async () => {
    const { body } = await create();
    const row = await api.db.selectFrom('api_key').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow();
    expect(row.hash).toHaveLength(32);
    expect(row.created_by).toBe(member.login);
    expect(JSON.stringify(row)).not.toContain(body.key.slice(4));
  });
});

describe('keys', () => {
  it('are listed newest first, and go on after a cursor', async () => {
    const ids: string[] = [];
    for (const description of ['a', 'b', 'c']) {
      ids.unshift((await create('ci', member.key, { description })).body.id);
      api.clock.now = new Date(api.clock.now.getTime() + 1000);
    }
    const { body } = await list();
    expect(body.map(({ id }) => id)).toEqual(ids);
    const from = (value: unknown, name: unknown) =>
      api.call(listServiceAccountKeys, {
        params: params('ci'),
        key: member.key,
        query: { after: Buffer.from(JSON.stringify([value, name])).toString('base64url') },
      });
    const first = new Date((body[0]?.created_at ?? 0) * 1000).toISOString();
    expect((await from(first, ids[0])).body.map(({ id }) => id)).toEqual(ids.slice(1));
    for (const [value, name] of [
      ['x', ids[0]],
      [first, 'x'],
      ['+275760-09-13T00:00:00Z', ids[0]],
    ] as const) {
      expect(await from(value, name)).toMatchObject({
        status: 400,
        body: { errors: { 'query.after': 'is not a valid cursor of this list' } },
      });
    }
  });

  it('that jobs or identity providers got are not among them', async () => {
    const ctx = { ...systemCtx(api.db, org.id, 'tests', noLog), now: () => api.clock.now };
    const { id } = await api.db
      .selectFrom('service_account')
      .select('id')
      .where('org_id', '=', org.id)
      .where('name', '=', 'ci')
      .executeTakeFirstOrThrow();
    const key = {
      owner: { kind: 'service_account', id, name: 'ci' },
      description: 'x',
      expiresAt: null,
      regionLetter: 'e',
    } as const;
    const ofJob = await createKey(ctx, { ...key, workload: '{}' });
    const ofProvider = await createKey(ctx, { ...key, purpose: 'scim' });
    expect((await list()).body).toEqual([]);
    for (const { id } of [ofJob, ofProvider]) {
      expect((await get(id)).status).toBe(404);
      expect((await revoke(id)).status).toBe(404);
      expect((await rotate(id)).status).toBe(404);
    }
  });

  it('are made and revoked by no job, however much its account may do', async () => {
    await account('deployer', 'admin');
    const ctx = { ...systemCtx(api.db, org.id, 'tests', noLog), now: () => api.clock.now };
    const { id } = await api.db
      .selectFrom('service_account')
      .select('id')
      .where('org_id', '=', org.id)
      .where('name', '=', 'deployer')
      .executeTakeFirstOrThrow();
    const { text } = await createKey(ctx, {
      owner: { kind: 'service_account', id, name: 'deployer' },
      description: 'job',
      expiresAt: null,
      regionLetter: 'e',
      workload: '{}',
    });
    const existing = (await create()).body.id;
    for (const answer of [await create('ci', text), await rotate(existing, 'ci', text)]) {
      expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining('CI job') } });
    }
    expect((await list('ci', text)).status).toBe(200);
    expect((await revoke(existing, 'ci', text)).status).toBe(403);
  });
});

describe('a key that expires', () => {
  /** A separate account that makes keys, with a key for a minute. */
  async function shortLived() {
    const expires_at = Math.ceil(seconds()) + 60;
    await account('maker', 'admin');
    const { key } = (await create('maker', admin.key, { description: 'short', expires_at })).body;
    return { key, expires_at };
  }

  it.each([{}, { expires_at: 0 }, { expires_at: null }])(
    'makes keys that end with it from %j, and says so',
    async (more) => {
      const short = await shortLived();
      const made = await create('ci', short.key, { description: 'planted', ...more });
      expect(made).toMatchObject({ status: 201, body: { expires_at: short.expires_at, expiry_limited: true } });
      const rotated = await rotate((await create()).body.id, 'ci', short.key, more);
      expect(rotated).toMatchObject({ status: 201, body: { expires_at: short.expires_at, expiry_limited: true } });
      const again = await create('maker', made.body.key);
      expect(again.status).toBe(403);
      api.clock.now = new Date(short.expires_at * 1000);
      expect([await calls(made.body.key), await calls(rotated.body.key)]).toEqual([401, 401]);
    },
  );

  it('does not rotate itself past its end', async () => {
    const expires_at = Math.ceil(seconds()) + 60;
    await account('maker', 'admin');
    const { id, key } = (await create('maker', admin.key, { description: 'short', expires_at })).body;
    api.clock.now = new Date(api.clock.now.getTime() + 30_000);
    expect((await rotate(id, 'maker', key)).body).toMatchObject({ expires_at, expiry_limited: true });
  });

  it('takes an end that is no later than its own, and refuses any other', async () => {
    const short = await shortLived();
    const { id } = (await create()).body;
    const at = (expires_at: number) => ({ description: 'x', expires_at });
    expect((await create('ci', short.key, at(short.expires_at))).body).toMatchObject({ expiry_limited: false });
    expect((await create('ci', short.key, at(short.expires_at - 1))).status).toBe(201);
    const late = { expires_at: short.expires_at + 1 };
    for (const answer of [
      await create('ci', short.key, at(late.expires_at)),
      await rotate(id, 'ci', short.key, late),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { errors: { expires_at: expect.stringContaining('later') } } });
    }
    expect((await list()).body).toHaveLength(3);
  });

  it('gives nobody a way in that has no end', async () => {
    const short = await shortLived();
    const scim = await api.call(turnOnScim, { params: { org: org.name }, key: short.key });
    const identity = await api.call(addWorkloadIdentity, {
      params: { org: org.name },
      key: short.key,
      body: { name: 'main', service_account: 'ci', issuer: 'https://ci.example.test', claims: { sub: 'x' } },
    });
    for (const answer of [scim, identity]) {
      expect(answer).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('would outlive the key') },
      });
    }
  });
});

describe('an account', () => {
  it('has at most 100 good keys, also when several are made at the same time', async () => {
    for (let made = 0; made < API_KEYS_MAX - 2; made += 14) {
      const some = await Promise.all(Array.from({ length: 14 }, () => create()));
      expect(some.every(({ status }) => status === 201)).toBe(true);
    }
    const answers = await Promise.all(Array.from({ length: 5 }, () => create()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    const refused = "Service account 'ci' has 100 API keys, which is the maximum: revoke one first";
    const id = answers.find(({ status }) => status === 201)?.body.id ?? '';
    for (const answer of [await create(), await rotate(id)]) {
      expect(answer).toMatchObject({ status: 409, body: { message: refused } });
    }
    expect((await revoke(id)).status).toBe(200);
    expect((await create()).status).toBe(201);
    await account('second', 'reader');
    expect((await create('second', admin.key)).status).toBe(201);
  });

  it('is not held up by keys that have expired', async () => {
    const expires_at = Math.ceil(seconds()) + 5;
    for (let made = 0; made < API_KEYS_MAX; made += 10) {
      await Promise.all(Array.from({ length: 10 }, () => create('ci', member.key, { description: 'x', expires_at })));
    }
    expect((await create()).status).toBe(409);
    api.clock.now = new Date(expires_at * 1000);
    expect((await create()).status).toBe(201);
  });
});

describe('who made what', () => {
  const makers = async (name: string, key = admin.key) => (await list(name, key)).body.map(({ made_by }) => made_by);

  it('follows what keys of accounts make back to a person', async () => {
    const first = (await create()).body;
    const made = await account('second', 'member', first.key);
    expect(made.body).toMatchObject({ made_by: member.login });
    const second = (await create('second', first.key)).body;
    await account('third', 'reader', second.key);
    await create('third', second.key);
    expect([...(await makers('second')), ...(await makers('third'))]).toEqual([member.login, member.login]);
    const rotated = (await rotate(second.id, 'second', admin.key)).body;
    expect((await get(rotated.id, 'second', admin.key)).body.made_by).toBe(admin.login);
  });

  it('is nobody for what the operator made', async () => {
    await account('outside', 'reader', org.keys.member);
    expect((await list('outside', admin.key)).body).toEqual([]);
    await create('outside', org.keys.member);
    expect(await makers('outside')).toEqual([null]);
  });
});

describe('revoking a key', () => {
  it('is felt at once, records it, and is 404 the second time', async () => {
    const { id, key } = (await create()).body;
    expect(await revoke(id)).toMatchObject({ status: 200, body: `API key '${id}' revoked` });
    expect(await calls(key)).toBe(401);
    for (const operation of [revoke, get, rotate]) {
      expect(await operation(id)).toMatchObject({
        status: 404,
        body: { message: `Service account 'ci' has no API key '${id}'` },
      });
    }
    expect((await list()).body).toEqual([]);
    expect((await entries()).slice(1)).toEqual([
      {
        type: 'api_key.revoked',
        subject_seq: 2,
        actor: member.login,
        payload: { description: 'deploys', owner: owner() },
      },
    ]);
  });

  it('happens once in a race', async () => {
    const { id } = (await create()).body;
    const answers = await Promise.all(Array.from({ length: 6 }, () => revoke(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect(await entries()).toHaveLength(2);
  });

  it('takes an expired one as well', async () => {
    const { id } = (await create('ci', member.key, { description: 'x', expires_at: Math.ceil(seconds()) + 5 })).body;
    api.clock.now = new Date(api.clock.now.getTime() + 60_000);
    expect((await revoke(id)).status).toBe(200);
    expect((await list()).body).toEqual([]);
  });

  it.each(['none', '0198c5a2-0000-7000-8000-000000000001', '../x', 'a b'])('is 404 for %s', async (id) => {
    for (const operation of [revoke, get, rotate]) expect((await operation(id)).status).toBe(404);
  });
});

describe('who may', () => {
  const operations = {
    create: (key: string, name: string) => create(name, key),
    list: (key: string, name: string) => list(name, key),
    get: (key: string, name: string, id: string) => get(id, name, key),
    rotate: (key: string, name: string, id: string) => rotate(id, name, key),
    revoke: (key: string, name: string, id: string) => revoke(id, name, key),
  };

  it.each(Object.entries(operations))('%s: admins and who created the account', async (_, operation) => {
    const stranger = await api.givenOrg(`stranger-${count}`);
    const other = await givenPerson(api, { org, role: 'member' });
    const reader = await givenPerson(api, { org, role: 'reader' });
    const snapshotter = await givenPerson(api, { org, role: 'snapshotter' });
    for (const key of [admin.key, member.key]) {
      const { id } = (await create()).body;
      expect(await operation(other.key, 'ci', id)).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('this requires the admin role; yours is member') },
      });
      expect((await operation(reader.key, 'ci', id)).status).toBe(403);
      expect((await operation(snapshotter.key, 'ci', id)).status).toBe(403);
      expect((await operation(stranger.keys.admin, 'ci', id)).status).toBe(403);
      expect([200, 201]).toContain((await operation(key, 'ci', id)).status);
    }
  });

  it.each(Object.entries(operations))('%s: 404 for no account, and for the key of another', async (name, operation) => {
    await account('second', 'reader');
    const { id } = (await create()).body;
    expect(await operation(admin.key, 'nobody', id)).toMatchObject({
      status: 404,
      body: { message: "Service account 'nobody' does not exist in this org" },
    });
    if (name === 'create' || name === 'list') return;
    expect(await operation(admin.key, 'second', id)).toMatchObject({
      status: 404,
      body: { message: `Service account 'second' has no API key '${id}'` },
    });
  });

  it('get no key of an account that may do more than they do', async () => {
    const { id } = (await create()).body;
    await api.call(updateServiceAccount, { params: params('ci'), key: admin.key, body: { privilege: 'admin' } });
    for (const answer of [await create(), await rotate(id)]) {
      expect(answer).toMatchObject({
        status: 403,
        body: {
          message: 'You cannot grant a higher role than your own: this requires the admin role; yours is member',
        },
      });
    }
    expect((await create('ci', admin.key)).status).toBe(201);
    expect((await revoke(id)).status).toBe(200);
  });
});

describe('rotating a key', () => {
  it('makes a new key, and lets the old one live for a day', async () => {
    const old = (await create()).body;
    const { status, body, headers } = await rotate(old.id);
    const end = Math.ceil(seconds()) + 24 * 3600;
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      id: body.id,
      key: body.key,
      description: 'deploys',
      created_at: seconds(),
      expires_at: 0,
      scope: null,
      expiry_limited: false,
      grace_period_expires_at: end,
    });
    expect(body.key).not.toBe(old.key);
    expect([await calls(old.key), await calls(body.key)]).toEqual([200, 200]);
    expect((await get(old.id)).body.expires_at).toBe(end);
    expect((await entries()).slice(1)).toEqual([
      expect.objectContaining({ type: 'api_key.created', subject_seq: 1 }),
      {
        type: 'api_key.rotated',
        subject_seq: 2,
        actor: member.login,
        payload: { description: 'deploys', owner: owner(), replaced_by: body.id, expires_at: end },
      },
    ]);
    api.clock.now = new Date(end * 1000);
    expect([await calls(old.key), await calls(body.key)]).toEqual([401, 200]);
  });

  it('takes another grace period, which never makes the old key live longer', async () => {
    const expires_at = Math.ceil(seconds()) + 2 * 3600;
    const make = async () => (await create('ci', member.key, { description: 'x', expires_at })).body.id;
    const hours = async (grace_period_hours: number) =>
      (await rotate(await make(), 'ci', member.key, { grace_period_hours })).body;
    expect(await hours(1)).toMatchObject({ grace_period_expires_at: Math.ceil(seconds()) + 3600, expires_at });
    expect(await hours(720)).toMatchObject({ grace_period_expires_at: expires_at, expires_at });
  });

  it('makes the new key valid for as long as the old one was, by default', async () => {
    const days = (count: number) => Math.ceil(seconds()) + count * 24 * 3600;
    const ends = days(90);
    const make = async () => (await create('ci', member.key, { description: 'x', expires_at: ends })).body.id;
    const ids = await Promise.all(Array.from({ length: 4 }, make));
    api.clock.now = new Date(api.clock.now.getTime() + 86 * 24 * 3600 * 1000);
    const rotated = async (place: number, body: object) =>
      (await rotate(ids[place] ?? '', 'ci', member.key, body)).body.expires_at;
    expect(await rotated(0, {})).toBe(days(90));
    expect(await rotated(1, { expires_at: null })).toBe(days(90));
    expect(await rotated(2, { expires_at: 0 })).toBe(0);
    expect(await rotated(3, { expires_at: ends + 5 })).toBe(ends + 5);
  });

  it('says which key replaced one, until that key is revoked, and then remembers the validity', async () => {
    const expires_at = Math.ceil(seconds()) + 90 * 24 * 3600;
    const { id } = (await create('ci', member.key, { description: 'x', expires_at })).body;
    const successor = (await rotate(id)).body;
    expect((await get(id)).body.replaced_by).toBe(successor.id);
    expect((await list()).body.map(({ replaced_by }) => replaced_by).sort()).toEqual([successor.id, null].sort());
    expect((await get(successor.id)).body.replaced_by).toBeNull();
    await revoke(successor.id);
    expect((await get(id)).body.replaced_by).toBeNull();
    expect((await rotate(id)).body.expires_at).toBe(expires_at);
  });

  it.each([
    [{ grace_period_hours: 0 }, { grace_period_hours: 'must be at least 1' }],
    [{ grace_period_hours: 721 }, { grace_period_hours: 'must be at most 720' }],
    [{ grace_period_hours: 1.5 }, { grace_period_hours: 'must be a whole number' }],
    [{ expires_at: 1 }, { expires_at: 'must be in the future, or 0 for never' }],
    [{ description: 'x' }, { description: 'is unknown' }],
  ])('refuses %j', async (body, errors) => {
    const { id } = (await create()).body;
    expect(await rotate(id, 'ci', member.key, body)).toMatchObject({ status: 400, body: { errors } });
    expect((await list()).body).toMatchObject([{ id, expires_at: 0 }]);
    expect(await entries()).toHaveLength(1);
  });

  it('refuses a key that has expired', async () => {
    const { id } = (await create('ci', member.key, { description: 'x', expires_at: Math.ceil(seconds()) + 5 })).body;
    api.clock.now = new Date(api.clock.now.getTime() + 60_000);
    expect(await rotate(id)).toMatchObject({
      status: 400,
      body: { errors: { key_id: `API key '${id}' has expired and cannot be rotated: create a new key` } },
    });
    expect(await entries()).toHaveLength(1);
  });

  it('happens once: a race or a repeat learns which key came of it', async () => {
    const { id } = (await create()).body;
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(id)));
    const rotated = answers.filter(({ status }) => status === 201).map(({ body }) => body);
    expect(rotated).toHaveLength(1);
    for (const answer of [...answers.filter(({ status }) => status !== 201), await rotate(id)]) {
      expect(answer).toMatchObject({
        status: 400,
        body: { errors: { key_id: `API key '${id}' was rotated before, to '${rotated[0]?.id}': rotate that one` } },
      });
    }
    expect((await list()).body).toHaveLength(2);
    expect((await rotate(rotated[0]?.id ?? '')).status).toBe(201);
  });

  it('can be done again when the new key was revoked', async () => {
    const { id } = (await create()).body;
    const lost = (await rotate(id)).body;
    await revoke(lost.id);
    const again = await rotate(id);
    expect(again.status).toBe(201);
    expect(
      (await entries()).filter(({ type }) => type === 'api_key.rotated').map((entry) => entry.subject_seq),
    ).toEqual([2, 3]);
  });

  it('makes one key for an Idempotency-Key, which never shows it again', async () => {
    const { id } = (await create()).body;
    const once = () =>
      api.call(rotateServiceAccountKey, {
        params: params('ci', id),
        key: member.key,
        headers: { 'idempotency-key': 'r-1' },
        body: {},
      });
    const first = await once();
    expect(first.status).toBe(201);
    expect(await once()).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': expect.stringContaining(`It created '${first.body.id}'`) } },
    });
    expect((await list()).body).toHaveLength(2);
  });
});
