import {
  API_KEYS_MAX,
  createUserKey,
  getUserKey,
  listFlows,
  listUserKeys,
  removeMember,
  revokeUserKey,
  rotateUserKey,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession, type Person, type Signed } from '../../../test/given/people.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import { inTransaction, systemCtx } from '../../platform/ctx.ts';
import { newId } from '../../platform/ids.ts';
import { setMemberships } from '../memberships/many-members.service.ts';
import { setMembership } from '../memberships/membership.service.ts';

const api = await startApi();

let org: TestOrg;
let ada: Person;
let count = 0;
beforeEach(async () => {
  org = await api.givenOrg(`org-${++count}`);
  ada = await givenPerson(api, { org, role: 'member' });
});

/** People make keys in a session. */
const create = async (person = ada, body: object = { description: 'laptop' }) =>
  callSigned(api, createUserKey, await givenSession(api, person), { body: body as { description: string } });
const list = async (key = ada.key) => (await api.call(listUserKeys, { key })).body;
const get = (key_id: string, key = ada.key) => api.call(getUserKey, { params: { key_id }, key });
const revoke = (key_id: string, key = ada.key) => api.call(revokeUserKey, { params: { key_id }, key });
const rotate = (key_id: string, key = ada.key, body: object = {}) =>
  api.call(rotateUserKey, { params: { key_id }, key, body });
const calls = async (key: string, name = org.name) =>
  (await api.call(listFlows, { params: { org: name }, key })).status;
const journal = async (id = ada.personalOrg) =>
  (await api.journal({ ...org, id })).filter(({ type, actor }) => type.startsWith('api_key.') && actor !== 'tests');
const owner = () => ({ kind: 'user', id: ada.id, name: ada.login });

/** A session from the org's identity provider, and what a key made in it can be used for. */
async function bound(person = ada): Promise<{ signed: Signed; key: string; id: string }> {
  const signed = await givenSession(api, person, org.id);
  const { body } = await callSigned(api, createUserKey, signed, { body: { description: 'through sso' } });
  return { signed, key: body.key, id: body.id };
}

describe('a personal key', () => {
  it('is shown once, may do what its owner may, and is recorded in the personal org', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      id: body.id,
      key: body.key,
      description: 'laptop',
      created_at: api.clock.now.getTime() / 1000,
      expires_at: 0,
      scope: null,
      expiry_limited: false,
    });
    expect([await calls(body.key), await calls(body.key, ada.login)]).toEqual([200, 200]);
    const { key: _, expiry_limited: __, ...shown } = body;
    expect((await get(body.id)).body).toEqual({
      ...shown,
      last_used_at: null,
      replaced_by: null,
      made_by: ada.login,
      suspended_at: null,
      suspends_at: null,
      only_org: null,
    });
    expect((await list()).map(({ description }) => description).sort()).toEqual(['laptop', 'test']);
    expect(await journal()).toEqual([
      {
        type: 'api_key.created',
        subject_seq: 1,
        actor: ada.login,
        payload: { description: 'laptop', owner: owner(), expires_at: null, scope: null },
      },
    ]);
  });

  it('can be made in a session, with the token that its pages have', async () => {
    const signed = await givenSession(api, ada);
    const body = { description: 'from a page' };
    const { status, body: created } = await callSigned(api, createUserKey, signed, { body });
    expect(status).toBe(201);
    expect(await calls(created.key)).toBe(200);
    expect((await callSigned(api, createUserKey, { cookie: signed.cookie }, { body })).status).toBe(403);
  });

  it('is made by no key, not even one of the same person', async () => {
    const body = { description: 'second' };
    expect(await api.call(createUserKey, { key: ada.key, body })).toMatchObject({
      status: 403,
      body: { message: 'API keys cannot do this. Sign in with a browser' },
    });
    const { key } = await bound();
    expect((await api.call(createUserKey, { key, body })).status).toBe(403);
    expect(await journal()).toEqual([]);
  });

  it('rotated by a key expires with that key at the latest', async () => {
    const soon = Math.ceil(api.clock.now.getTime() / 1000) + 60;
    const short = (await create(ada, { description: 'short', expires_at: soon })).body;
    const lasting = (await create()).body;
    api.clock.now = new Date(api.clock.now.getTime() + 10_000);
    expect(await rotate(lasting.id, short.key, { expires_at: soon + 1 })).toMatchObject({
      status: 400,
      body: {
        errors: { expires_at: `must not be later than ${soon}, when the key used for this request expires` },
      },
    });
    const rotated = [await rotate(lasting.id, short.key, { expires_at: 0 }), await rotate(short.id, short.key)];
    const keys = rotated.map(({ body }) => body.key);
    for (const answer of rotated) {
      expect(answer).toMatchObject({ status: 201, body: { expires_at: soon, expiry_limited: true } });
    }
    expect(await Promise.all(keys.map((key) => calls(key)))).toEqual([200, 200]);
    api.clock.now = new Date(soon * 1000);
    expect(await Promise.all(keys.map((key) => calls(key)))).toEqual([401, 401]);
  });

  it('is one of at most 100, also when several are made at the same time', async () => {
    const signed = await givenSession(api, ada);
    const make = () => callSigned(api, createUserKey, signed, { body: { description: 'one more' } });
    await api.db
      .insertInto('api_key')
      .values(
        Array.from({ length: API_KEYS_MAX - 3 }, (_, i) => ({
          id: newId(),
          hash: Buffer.from(`${ada.id}${i}`),
          user_id: ada.id,
          description: 'many',
          created_at: api.clock.now,
        })),
      )
      .execute();
    const answers = await Promise.all(Array.from({ length: 5 }, make));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(await make()).toMatchObject({
      status: 409,
      body: { message: 'You have 100 API keys, which is the maximum: revoke one first' },
    });
    const id = answers.find(({ status }) => status === 201)?.body.id ?? '';
    expect((await rotate(id)).status).toBe(409);
    expect((await revoke(id)).status).toBe(200);
    expect((await make()).status).toBe(201);
  });

  it.each([
    [{}, { description: 'is required' }],
    [{ description: '' }, { description: 'must be at least 1 character long' }],
    [{ description: 'x', expires_at: 1 }, { expires_at: 'must be in the future, or 0 for never' }],
    [{ description: 'x', only_org: 'acme' }, { only_org: 'is unknown' }],
  ])('is not made from %j', async (body, errors) => {
    expect(await create(ada, body)).toMatchObject({ status: 400, body: { errors } });
    expect(await journal()).toEqual([]);
  });

  it('is made for each of racing requests, and once for an Idempotency-Key', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create()));
    expect(new Set(answers.map(({ body }) => body.key)).size).toBe(5);
    const signed = await givenSession(api, ada);
    const headers = { ...signed, 'idempotency-key': 'k' };
    const once = () => api.call(createUserKey, { key: '', headers, body: { description: 'once' } });
    const first = await once();
    expect(await once()).toMatchObject({
      status: 400,
      body: { errors: { 'Idempotency-Key': expect.stringContaining(first.body.id) } },
    });
    expect((await list()).filter(({ description }) => description === 'once')).toHaveLength(1);
    const stored = await api.db
      .selectFrom('idempotent_reply')
      .selectAll()
      .where('org_id', '=', ada.personalOrg)
      .execute();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(first.body.key);
  });

  it('is revoked at once, once, also by itself', async () => {
    const { id, key } = (await create()).body;
    const answers = await Promise.all(Array.from({ length: 5 }, () => revoke(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
    expect(await calls(key)).toBe(401);
    expect(await revoke(id)).toMatchObject({ status: 404, body: { message: `You have no API key '${id}'` } });
    expect((await journal()).slice(1)).toEqual([
      { type: 'api_key.revoked', subject_seq: 2, actor: ada.login, payload: { description: 'laptop', owner: owner() } },
    ]);
    const own = (await create()).body;
    expect((await revoke(own.id, own.key)).status).toBe(200);
    expect((await revoke(own.id, own.key)).status).toBe(401);
  });

  it('is rotated, once also in a race, with a grace period', async () => {
    const { id, key } = (await create()).body;
    const answers = await Promise.all(Array.from({ length: 5 }, () => rotate(id, ada.key, { grace_period_hours: 2 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
    const rotated = answers.find(({ status }) => status === 201)?.body;
    const end = Math.ceil(api.clock.now.getTime() / 1000) + 2 * 3600;
    expect(rotated).toMatchObject({ description: 'laptop', expires_at: 0, grace_period_expires_at: end });
    expect([await calls(key), await calls(rotated?.key ?? '')]).toEqual([200, 200]);
    expect((await journal()).map(({ type }) => type)).toEqual([
      'api_key.created',
      'api_key.created',
      'api_key.rotated',
    ]);
    api.clock.now = new Date(end * 1000);
    expect([await calls(key), await calls(rotated?.key ?? '')]).toEqual([401, 200]);
    expect(await rotate(id)).toMatchObject({ status: 400, body: { errors: { key_id: expect.any(String) } } });
    expect((await rotate('none')).status).toBe(404);
  });

  it('is not shown again to a repeat of its rotation', async () => {
    const { id } = (await create()).body;
    const once = () =>
      api.call(rotateUserKey, { params: { key_id: id }, key: ada.key, headers: { 'idempotency-key': 'r' }, body: {} });
    const first = await once();
    expect(first.status).toBe(201);
    expect((await once()).status).toBe(400);
  });

  it('goes on after a cursor', async () => {
    const after = Buffer.from(JSON.stringify(['1999-01-01T00:00:00Z', ada.id])).toString('base64url');
    expect((await api.call(listUserKeys, { key: ada.key, query: { after } })).body).toEqual([]);
    expect((await api.call(listUserKeys, { key: ada.key, query: { after: 'x' } })).status).toBe(400);
  });
});

describe('whose keys', () => {
  it('are nobody else’s to see or to touch, not even an admin’s', async () => {
    const { id, key } = (await create()).body;
    const eve = await givenPerson(api, { org, role: 'admin' });
    for (const operation of [get, revoke, rotate]) {
      expect(await operation(id, eve.key)).toMatchObject({
        status: 404,
        body: { message: `You have no API key '${id}'` },
      });
    }
    expect((await list(eve.key)).map(({ description }) => description)).toEqual(['test']);
    expect(await calls(key)).toBe(200);
  });

  it('are those of people: a service account has none', async () => {
    const { id } = (await create()).body;
    const key = org.keys.member;
    const made = await api.call(createUserKey, { key, body: { description: 'x' } });
    const answers = [made, await get(id, key), await revoke(id, key), await rotate(id, key)];
    for (const answer of [...answers, await api.call(listUserKeys, { key })]) {
      expect(answer).toMatchObject({
        status: 403,
        body: {
          message: 'Service accounts cannot do this. Sign in as a person',
        },
      });
    }
  });
});

describe('a key made by who an org vouched for', () => {
  it('is good in that org alone, which records it', async () => {
    const { key, id } = await bound();
    expect([await calls(key), await calls(key, ada.login)]).toEqual([200, 403]);
    expect((await get(id)).body).toMatchObject({ only_org: org.name });
    expect(await journal(org.id)).toEqual([expect.objectContaining({ type: 'api_key.created', actor: ada.login })]);
    expect(await journal()).toEqual([]);
  });

  it('makes such keys alone, and has to do with no others', async () => {
    const { key, id, signed } = await bound();
    const free = (await create()).body.id;
    const made = (await callSigned(api, createUserKey, signed, { body: { description: 'second' } })).body;
    expect([await calls(made.key), await calls(made.key, ada.login)]).toEqual([200, 403]);
    expect((await list(key)).map((one) => one.id).sort()).toEqual([id, made.id].sort());
    expect((await callSigned(api, listUserKeys, signed)).body).toHaveLength(2);
    for (const operation of [get, revoke, rotate]) expect((await operation(free, key)).status).toBe(404);
    const rotated = (await rotate(id, key)).body;
    expect([await calls(rotated.key), await calls(rotated.key, ada.login)]).toEqual([200, 403]);
    expect((await revoke(made.id, key)).status).toBe(200);
    expect((await journal(org.id)).map(({ type }) => type)).toEqual([
      'api_key.created',
      'api_key.created',
      'api_key.created',
      'api_key.rotated',
      'api_key.revoked',
    ]);
  });

  it('has nothing to do with keys for another org', async () => {
    const { key } = await bound();
    const other = await api.givenOrg(`other-${count}`);
    await setMembership(systemCtx(api.db, other.id, 'tests', noLog), ada, 'reader', 'script');
    const signed = await givenSession(api, ada, other.id);
    const { body } = await callSigned(api, createUserKey, signed, { body: { description: 'other' } });
    for (const operation of [get, revoke, rotate]) expect((await operation(body.id, key)).status).toBe(404);
  });

  it('can be revoked by its owner in any way, but is not rotated past the identity provider', async () => {
    const { id, key } = await bound();
    expect(await rotate(id)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("sign in through that org's identity provider") },
    });
    expect((await list()).some((one) => one.only_org === org.name)).toBe(true);
    expect((await revoke(id)).status).toBe(200);
    expect(await calls(key)).toBe(401);
  });

  it('ends with the membership, and so does what made it', async () => {
    const { key, id, signed } = await bound();
    await api.call(removeMember, { params: { org: org.name, login: ada.login }, key: org.keys.admin });
    const before = await journal(org.id);
    expect(await rotate(id, key)).toMatchObject({ status: 401 });
    expect(await callSigned(api, createUserKey, signed, { body: { description: 'again' } })).toMatchObject({
      status: 401,
    });
    expect(await journal(org.id)).toEqual(before);
    expect(await revoke(id)).toMatchObject({ status: 404 });
  });

  it('never outlives a moment in which its owner is taken out of the org by its identity provider', async () => {
    const provider = systemCtx(api.db, org.id, 'tests', noLog);
    for (let round = 0; round < 10; round++) {
      const person = await givenPerson(api, { org, role: 'member' });
      const { id, signed } = await bound(person);
      const make = () => callSigned(api, createUserKey, signed, { body: { description: 'late' } });
      await Promise.all([
        make(),
        callSigned(api, rotateUserKey, signed, { params: { key_id: id }, body: {} }),
        inTransaction(provider, (ctx) => setMemberships(ctx, [{ user: person, role: null }], 'scim')),
        make(),
      ]);
      const good = await api.db
        .selectFrom('api_key')
        .select('id')
        .where('user_id', '=', person.id)
        .where('only_org_id', '=', org.id)
        .where('revoked_at', 'is', null)
        .execute();
      expect(good).toEqual([]);
    }
  });

  it('enters an org that requires its identity provider, unlike other personal keys', async () => {
    const { key } = await bound();
    await api.db.updateTable('org').set({ sso_enforced_at: api.clock.now }).where('id', '=', org.id).execute();
    expect([await calls(key), await calls(ada.key), await calls(org.keys.reader)]).toEqual([200, 403, 200]);
  });
});
