import { hash } from 'node:crypto';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
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

it.each(['nonsense', '0198c5a2-0000-7000-8000-000000000001'])('says that there is no key %s', async (id) => {
  expect(await run('key', 'revoke', id)).toEqual({ code: 1, out: '', err: `There is no API key '${id}'` });
});

it('makes no service account in a personal org', async () => {
  await run('user', 'create', 'bob');
  expect(await run('key', 'create', '--service-account', 'ci', '--org', 'bob')).toEqual({
    code: 1,
    out: '',
    err: 'Service accounts exist in shared orgs alone, and this is a personal one',
  });
});
