import {
  createServiceAccount,
  createServiceAccountKey,
  deleteServiceAccount,
  getServiceAccountKey,
  listFlows,
  revokeServiceAccountKey,
  rotateServiceAccountKey,
} from '@waymark/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { givenSecondServer } from '../../../test/given/servers.ts';
import { startApi } from '../../../test/harness.ts';
import { newKeyText } from '../../platform/http/key-text.ts';

const api = await startApi();
const queries: string[] = [];
const second = givenSecondServer(api, (text) => queries.push(text));

let count = 0;

async function givenKey(expires_at = 0): Promise<{ name: string; id: string; key: string }> {
  const name = `account-${++count}`;
  await api.call(createServiceAccount, { body: { name } });
  const { body } = await api.call(createServiceAccountKey, {
    params: { name },
    body: { description: 'test', expires_at },
  });
  return { name, ...body };
}

const inSeconds = (seconds: number) => Math.ceil(api.clock.now.getTime() / 1000) + seconds;
const revoke = (name: string, key_id: string) => api.call(revokeServiceAccountKey, { params: { name, key_id } });

/** Sends a request to the other server, and records its database queries. */
async function ask(key: string, org = api.org.name) {
  queries.length = 0;
  const { statusCode, body, headers } = await second.http.inject({
    url: `/api/v2${listFlows.path.replace(':org', org)}`,
    headers: { authorization: `Bearer ${key}`, 'x-request-id': 'asked' },
  });
  const { 'x-request-id': _, date: __, ...others } = headers;
  const { 'ratelimit-remaining': ___, 'ratelimit-reset': ____, ...otherHeaders } = others;
  return { status: statusCode, body, headers: otherHeaders, queries: [...queries] };
}

describe('a key that is no longer good', () => {
  it.each<[string, () => Promise<{ key: string; end: () => Promise<unknown> }>]>([
    [
      'revoked',
      async () => {
        const { key, name, id } = await givenKey();
        return { key, end: () => revoke(name, id) };
      },
    ],
    [
      'expired',
      async () => {
        const at = inSeconds(60);
        const { key } = await givenKey(at);
        return { key, end: async () => Object.assign(api.clock, { now: new Date(at * 1000) }) };
      },
    ],
    [
      'one whose grace is over',
      async () => {
        const { key, name, id } = await givenKey();
        await api.call(rotateServiceAccountKey, { params: { name, key_id: id }, body: { grace_period_hours: 1 } });
        return { key, end: async () => Object.assign(api.clock, { now: new Date(inSeconds(3601) * 1000) }) };
      },
    ],
    [
      'one of a deleted account',
      async () => {
        const { key, name } = await givenKey();
        return { key, end: () => api.call(deleteServiceAccount, { params: { name } }) };
      },
    ],
  ])('(%s) is refused by another server on its very next request', async (_, given) => {
    const { key, end } = await given();
    expect((await ask(key)).status).toBe(200);
    await end();
    expect((await ask(key)).status).toBe(401);
  });

  it('is refused on requests that begin after it was revoked, while others are under way', async () => {
    const { key, name, id } = await givenKey();
    let isRevoked = false;
    const late: number[] = [];
    const asking = async () => {
      for (let i = 0; i < 40; i++) {
        const startedLate = isRevoked;
        const { statusCode } = await second.http.inject({
          url: `/api/v2/flows/${api.org.name}`,
          headers: { authorization: `Bearer ${key}` },
        });
        if (startedLate) late.push(statusCode);
      }
    };
    const revoking = async () => {
      await revoke(name, id);
      isRevoked = true;
    };
    await Promise.all([...Array.from({ length: 6 }, asking), revoking()]);
    expect(late.length).toBeGreaterThan(20);
    expect(new Set(late)).toEqual(new Set([401]));
  });
});

it('unknown, wrong, revoked and expired keys take the same path and get the same answer', async () => {
  const good = await givenKey();
  const revoked = await givenKey();
  await revoke(revoked.name, revoked.id);
  const expired = await givenKey(inSeconds(30));
  const deleted = await givenKey();
  await api.call(deleteServiceAccount, { params: { name: deleted.name } });
  api.clock.now = new Date(api.clock.now.getTime() + 120_000);
  const keys = {
    unknown: newKeyText('e'),
    'of another region': newKeyText('u'),
    revoked: revoked.key,
    expired: expired.key,
    'of a deleted account': deleted.key,
  };
  const unknown = await ask(keys.unknown);
  expect(unknown).toMatchObject({
    status: 401,
    body: JSON.stringify({ message: 'The API key is unknown, expired, or revoked', request_id: 'asked' }),
  });
  expect(unknown.queries).toHaveLength(1);
  for (const [kind, key] of Object.entries(keys)) {
    expect(await ask(key), kind).toEqual(unknown);
    expect(await ask(key, 'no-such-org'), kind).toEqual(unknown);
  }
  const known = await ask(good.key);
  expect(known.status).toBe(200);
  expect(known.queries[0]).toBe(unknown.queries[0]);
});

describe('the time of the last use', () => {
  const readUse = async ({ name, id }: { name: string; id: string }) => {
    await api.app.credentialUse.flush();
    return (await api.call(getServiceAccountKey, { params: { name, key_id: id } })).body.last_used_at;
  };

  it('is written at most once for a thousand requests within a minute', async () => {
    const used = await givenKey();
    await sql`create sequence key_uses`.execute(api.owner);
    await sql
      .raw(`create function count_use() returns trigger language plpgsql as
        'begin perform nextval(''key_uses''); return new; end'`)
      .execute(api.owner);
    await sql
      .raw(`create trigger count_uses after update on api_key for each row
        when (new.id = '${used.id}') execute function count_use()`)
      .execute(api.owner);
    const begun = api.clock.now.getTime();
    const writes = async () => {
      const { rows } = await sql<{ count: number }>`
        select case when is_called then last_value else 0 end as count from key_uses`.execute(api.db);
      return rows[0]?.count;
    };
    for (let i = 0; i < 20; i++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => api.call(listFlows, { key: used.key })));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      await api.app.credentialUse.flush();
      api.clock.now = new Date(begun + i * 2_900);
    }
    expect(await writes()).toBe(1);
    expect(await readUse(used)).toBe(begun / 1000);

    api.clock.now = new Date(begun + 60_000);
    await api.call(listFlows, { key: used.key });
    expect(await readUse(used)).toBe(begun / 1000 + 60);
    expect(await writes()).toBe(2);
  });

  it('is nothing for a key that was not used, or was refused', async () => {
    const unused = await givenKey();
    expect(await readUse(unused)).toBeNull();
    await revoke(unused.name, unused.id);
    await api.call(listFlows, { key: unused.key });
    await api.app.credentialUse.flush();
    const row = await api.db
      .selectFrom('api_key')
      .select('last_used_at')
      .where('id', '=', unused.id)
      .executeTakeFirstOrThrow();
    expect(row.last_used_at).toBeNull();
  });
});
