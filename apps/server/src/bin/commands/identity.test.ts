import { hash } from 'node:crypto';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { commandsOn } from '../../../test/run-command.ts';

const { url } = await createDatabase(inject('templateDatabase'));

const run = commandsOn(url);

async function query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql, values);
  await client.end();
  return rows;
}

await run('org', 'create', 'acme');
await run('user', 'create', 'ada', '--org', 'acme');

it.each([
  ['ada', ['--user', 'ada']],
  ['ci', ['--service-account', 'ci', '--org', 'acme']],
])('revokes a key of %s by its id, once, and records it', async (name, owner) => {
  const { out: key } = await run('key', 'create', ...owner);
  const [{ id } = {}] = await query('select id from api_key where hash = $1', [hash('sha256', key, 'buffer')]);
  expect(await run('key', 'revoke', String(id))).toEqual({
    code: 0,
    out: `API key '${id}' of '${name}' is revoked`,
    err: '',
  });
  expect(await query('select id from api_key where id = $1 and revoked_at is not null', [id])).toHaveLength(1);
  const recorded = await query(`select actor_name from journal where type = 'api_key.revoked' and subject_id = $1`, [
    id,
  ]);
  expect(recorded).toEqual([{ actor_name: 'waymark-server' }]);
  expect(await run('key', 'revoke', String(id))).toMatchObject({ code: 1, err: expect.stringContaining(`'${id}'`) });
});

it.each(['nonsense', '0198c5a2-0000-7000-8000-000000000001'])('reports that there is no key %s', async (id) => {
  expect(await run('key', 'revoke', id)).toEqual({ code: 1, out: '', err: `There is no API key '${id}'` });
});

it('makes no service account in a personal org', async () => {
  await run('user', 'create', 'bob');
  expect(await run('key', 'create', '--service-account', 'ci', '--org', 'bob')).toEqual({
    code: 1,
    out: '',
    err: 'Service accounts exist only in shared orgs, and this is a personal org',
  });
});

it('reports what is wrong with a new user: the login, or the address', async () => {
  const refused = (reason: string) => ({ code: 1, out: '', err: reason });
  const taken = (login: string) => refused(`login is taken: a user or an org '${login}' already exists`);
  expect(await run('user', 'create', 'ada')).toEqual(taken('ada'));
  expect(await run('user', 'create', 'acme')).toEqual(taken('acme'));
  expect(await run('user', 'create', 'admin')).toEqual(refused("login is taken: 'admin' is reserved"));
  expect(await run('user', 'create', 'eve', '--email', 'eve')).toEqual(
    refused('email must be an email address, such as ada@example.com'),
  );
  expect(await query(`select from user_account where login = 'eve'`)).toEqual([]);
});

describe('setting an address', () => {
  const setEmail = (login: string, address: string) => run('user', 'set-email', login, address);
  const emailOf = async (login: string) =>
    (await query('select email from user_account where login = $1', [login]))[0]?.['email'];
  const recorded = (login: string) =>
    query(
      `select payload, actor_name, subject_seq::int from journal join org on org.id = journal.org_id
       where type = 'user.email_set' and org.name = $1 order by subject_seq`,
      [login],
    );

  it('gives one to who has none, and another one, and records both', async () => {
    await run('user', 'create', 'cyd');
    expect(await setEmail('cyd', 'cyd@example.test')).toEqual({
      code: 0,
      out: "User 'cyd' now has the address 'cyd@example.test'",
      err: '',
    });
    expect(await setEmail('cyd', 'cyd@example.test')).toMatchObject({
      code: 0,
      out: "User 'cyd' already has the address 'cyd@example.test'",
    });
    expect((await setEmail('cyd', 'Cyd@example.test')).code).toBe(0);
    expect(await emailOf('cyd')).toBe('Cyd@example.test');
    const entries = await recorded('cyd');
    expect(entries.map(({ payload }) => JSON.parse(String(payload)))).toEqual([
      { email: 'cyd@example.test', previous_email: null },
      { email: 'Cyd@example.test', previous_email: 'cyd@example.test' },
    ]);
    expect(entries).toMatchObject([
      { actor_name: 'waymark-server', subject_seq: 2 },
      { actor_name: 'waymark-server', subject_seq: 3 },
    ]);
  });

  it('refuses a taken or invalid address, and an unknown user', async () => {
    await run('user', 'create', 'dan', '--email', 'dan@example.test');
    await run('user', 'create', 'eli');
    const refused = (err: string) => ({ code: 1, out: '', err });
    expect(await setEmail('eli', 'DAN@example.test')).toEqual(
      refused("email is taken: a user with the address 'DAN@example.test' already exists"),
    );
    expect(await setEmail('eli', 'Eli <eli@example.test>')).toEqual(
      refused('email must be an email address, such as ada@example.com'),
    );
    expect(await setEmail('nobody', 'nobody@example.test')).toEqual(refused("There is no user 'nobody'"));
    expect([await emailOf('eli'), await recorded('eli')]).toEqual([null, []]);
  });
});
