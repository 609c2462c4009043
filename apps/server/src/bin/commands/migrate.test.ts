import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createDatabase, dropDatabases, withAdmin } from '../../../test/databases.ts';
import { commandsOn } from '../../../test/run-command.ts';

interface Given {
  readonly ownerUrl: string;
  readonly serverUrl: string;
  readonly role: string;
}

/** An empty database that an own role owns, and the name of a role for servers that nobody has made. */
async function givenOwnedDatabase(attributes = 'createrole'): Promise<Given> {
  const { name, url } = await createDatabase();
  const id = randomBytes(4).toString('hex');
  const [owner, role] = [`owner_${id}`, `server_${id}`];
  await withAdmin(async (client) => {
    await client.query(`create role ${owner} login ${attributes}`);
    await client.query(`alter database ${name} owner to ${owner}`);
  });
  onTestFinished(async () => {
    await dropDatabases(name);
    await withAdmin(async (client) => {
      await client.query(`drop role if exists ${role}`);
      await client.query(`drop role ${owner}`);
    });
  });
  const as = (username: string) => Object.assign(new URL(url), { username, password: "it's" }).href;
  return { ownerUrl: as(owner), serverUrl: as(role), role };
}

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

it('lets the role of servers change rows and no table, also after a later migration', async () => {
  const { ownerUrl, serverUrl, role } = await givenOwnedDatabase();
  const run = commandsOn(serverUrl, undefined, { WAYMARK_DATABASE_OWNER_URL: ownerUrl });
  const granted = `Role '${role}' can read and write rows, but not change tables`;
  expect(await run('migrate')).toMatchObject({ code: 0, out: expect.stringMatching(`^Applied 0001.*\n${granted}$`) });
  expect(await run('migrate')).toMatchObject({ code: 0, out: `The database is up to date\n${granted}` });

  expect(await run('org', 'create', 'acme')).toMatchObject({ code: 0, out: "Org 'acme' created" });
  for (const text of ['drop table flow', 'alter table flow add x int', 'truncate flow', 'create table x ()']) {
    await expect(ask(serverUrl, text), text).rejects.toThrow(/must be owner|permission denied/);
  }
  await expect(ask(serverUrl, 'delete from migration')).rejects.toThrow('permission denied for table migration');
  await ask(ownerUrl, 'create table later (id bigserial)');
  await ask(serverUrl, 'insert into later default values');
});

it('may run from several places at once', async () => {
  const { ownerUrl, serverUrl } = await givenOwnedDatabase();
  const run = commandsOn(serverUrl, undefined, { WAYMARK_DATABASE_OWNER_URL: ownerUrl });
  const ran = await Promise.all([run('migrate', '--wait'), run('migrate'), run('migrate'), run('migrate')]);
  expect(ran.map(({ code, err }) => ({ code, err }))).toEqual(ran.map(() => ({ code: 0, err: '' })));
  expect(ran[0]?.out).toBe('The database is up to date');
});

it('says what to do when it may not create the role', async () => {
  const { ownerUrl, serverUrl, role } = await givenOwnedDatabase('');
  const run = commandsOn(serverUrl, undefined, { WAYMARK_DATABASE_OWNER_URL: ownerUrl });
  expect(await run('migrate')).toMatchObject({
    code: 1,
    err: `Role '${role}' is missing, and the owner of the database may not create it: create it, and run this again`,
  });
});
