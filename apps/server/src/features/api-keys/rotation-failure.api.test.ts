import {
  createServiceAccount,
  createServiceAccountKey,
  createUserKey,
  listFlows,
  listServiceAccountKeys,
  listUserKeys,
  rotateServiceAccountKey,
  rotateUserKey,
} from '@waymark/contract';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callSigned, givenPerson, givenSession } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
await api.call(createServiceAccount, { body: { name: 'ci' } });
const ada = await givenPerson(api, { org: api.org });
const signed = await givenSession(api, ada);

const FAULTS = {
  'refuses to write it': `raise exception 'a disk is broken'`,
  'has no room': `raise exception 'no room' using errcode = 'disk_full'`,
  'is shut down': 'perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5)',
};
const REFUSED = 'the database rejected the change';
const UNREACHABLE = 'the database is temporarily unavailable';

/** Makes the database fail when the successor of an old key is set: the new key has been inserted by then. */
async function givenFault(fault: string, when: 'at once' | 'at commit' = 'at once'): Promise<void> {
  await sql`create function fail() returns trigger language plpgsql as ${sql.lit(`begin ${fault}; return new; end`)}`.execute(
    api.owner,
  );
  const kind = when === 'at commit' ? 'constraint trigger' : 'trigger';
  const deferred = when === 'at commit' ? 'deferrable initially deferred' : '';
  await sql
    .raw(`create ${kind} fault after update on api_key ${deferred} for each row
      when (new.replaced_by is not null) execute function fail()`)
    .execute(api.owner);
}

afterEach(async () => {
  await sql`drop function if exists fail cascade`.execute(api.owner);
});

interface Key {
  readonly id: string;
  readonly key: string;
}

const account = {
  create: () => api.call(createServiceAccountKey, { params: { name: 'ci' }, body: { description: 'ci' } }),
  rotate: (key_id: string, headers = {}) =>
    api.call(rotateServiceAccountKey, { params: { name: 'ci', key_id }, headers, body: {} }),
  list: async () => (await api.call(listServiceAccountKeys, { params: { name: 'ci' } })).body,
};
const person = {
  create: () => callSigned(api, createUserKey, signed, { body: { description: 'mine' } }),
  rotate: (key_id: string, headers = {}) =>
    api.call(rotateUserKey, { params: { key_id }, key: ada.key, headers, body: {} }),
  list: async () => (await api.call(listUserKeys, { key: ada.key })).body,
};

describe.each([
  ['a service account', account],
  ['a person', person],
])('a rotation that fails, of a key of %s,', (_, { create, rotate, list }) => {
  let old: Key;
  let before: unknown;
  beforeEach(async () => {
    old = (await create()).body;
    before = await state();
  });

  /** Everything that a rotation may change. */
  async function state(): Promise<unknown> {
    const keys = await api.db
      .selectFrom('api_key')
      .select(['id', 'expires_at', 'replaced_by', 'revision'])
      .orderBy('id')
      .execute();
    const { count } = await api.db
      .selectFrom('journal')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('org_id', 'is not', null)
      .executeTakeFirstOrThrow();
    return { keys, count, listed: await list() };
  }

  it.each([
    ['refuses to write it', REFUSED],
    ['has no room', UNREACHABLE],
    ['is shut down', UNREACHABLE],
  ] as const)('because the database %s, leaves no key and names the key and the cause', async (fault, cause) => {
    await givenFault(FAULTS[fault]);
    const answer = await rotate(old.id);
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { message: `API key '${old.id}' was not rotated, and no new key was created; ${cause}` },
    });
    expect(await state()).toEqual(before);
    expect((await api.call(listFlows, { key: old.key })).status).toBe(200);
    await sql`drop function fail cascade`.execute(api.owner);
    expect((await rotate(old.id)).status).toBe(201);
  });

  it('when it is to be committed, leaves no key and says so', async () => {
    await givenFault(FAULTS['refuses to write it'], 'at commit');
    expect(await rotate(old.id)).toMatchObject({
      status: 503,
      body: { message: `API key '${old.id}' was not rotated, and no new key was created; ${REFUSED}` },
    });
    expect(await state()).toEqual(before);
  });

  it('when nobody can tell whether it was committed, says that', async () => {
    await givenFault(FAULTS['is shut down'], 'at commit');
    expect(await rotate(old.id)).toMatchObject({
      status: 503,
      body: {
        message: `API key '${old.id}' may or may not have been rotated: look for a new key in the list, and revoke it; ${UNREACHABLE}`,
      },
    });
    expect(await state()).toEqual(before);
  });

  it('may be repeated with its Idempotency-Key', async () => {
    await givenFault(FAULTS['refuses to write it']);
    const headers = { 'idempotency-key': `k-${old.id}` };
    expect(await rotate(old.id, headers)).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining(`'${old.id}' was not rotated`) },
    });
    expect(await state()).toEqual(before);
    await sql`drop function fail cascade`.execute(api.owner);
    expect((await rotate(old.id, headers)).status).toBe(201);
  });
});
