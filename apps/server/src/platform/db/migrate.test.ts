import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, dropDatabases } from '../../../test/databases.ts';
import { type Db, openDb } from './db.ts';
import { migrate } from './migrate.ts';

/** An empty database and a folder of migrations. */
async function givenMigrations(files: Record<string, string>) {
  const { name, url } = await createDatabase();
  onTestFinished(() => dropDatabases(name));
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  for (const [file, text] of Object.entries(files)) await write(file, text);
  const connect = (): Db => {
    const db = openDb({ url, poolSize: 2, statementTimeoutMs: 0 }, pino({ level: 'silent' }));
    onTestFinished(() => db.destroy());
    return db;
  };
  return { db: connect(), connect, folder, write };
}

async function applied(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('migration').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

async function firstOf(db: Db, query: string): Promise<unknown> {
  const { rows } = await sql.raw<Record<string, unknown>>(query).execute(db);
  return Object.values(rows[0] ?? {})[0];
}

it('applies what is missing, in the order of the names', async () => {
  const { db, folder, write } = await givenMigrations({
    '0002_b.sql': 'create table b (a_id integer references a);',
    '0001_a.sql': 'create table a (id integer primary key);',
  });
  expect(await migrate(db, { folder })).toEqual(['0001_a', '0002_b']);
  expect(await migrate(db, { folder })).toEqual([]);
  await write('0003_c.sql', 'create table c ();');
  expect(await migrate(db, { folder })).toEqual(['0003_c']);
});

it('gives each file a transaction of its own', async () => {
  const { db, folder, write } = await givenMigrations({
    '0001_a.sql': 'create table a ();',
    '0002_b.sql': 'create table b (); select 1 / 0;',
  });
  await expect(migrate(db, { folder })).rejects.toThrow("Migration '0002_b' failed: division by zero");
  expect(await applied(db)).toEqual(['0001_a']);
  expect(await firstOf(db, "select to_regclass('b')")).toBeNull();
  await write('0002_b.sql', 'create table b ();');
  expect(await migrate(db, { folder })).toEqual(['0002_b']);
});

it('applies each file once when several processes migrate, also one that builds an index concurrently', async () => {
  const { connect, db, folder } = await givenMigrations({
    '0001_a.sql': 'create table a (id integer);',
    '0002_index.sql': '-- outside a transaction\ncreate index concurrently if not exists a_id on a (id);',
    '0003_b.sql': 'create table b ();',
  });
  const names = await Promise.all([db, connect(), connect()].map((db) => migrate(db, { folder, pauseMs: 1 })));
  expect(names.flat().sort()).toEqual(['0001_a', '0002_index', '0003_b']);
  expect(await applied(db)).toEqual(['0001_a', '0002_index', '0003_b']);
});

it('leaves a database as it is that a newer version migrated', async () => {
  const { db, folder } = await givenMigrations({ '0001_a.sql': '', '0002_b.sql': '' });
  await migrate(db, { folder });
  await rm(join(folder, '0002_b.sql'));
  expect(await migrate(db, { folder })).toEqual([]);
  expect(await applied(db)).toEqual(['0001_a', '0002_b']);
});

it('refuses a database that has a later file and not an earlier one', async () => {
  const { db, folder, write } = await givenMigrations({ '0002_b.sql': '' });
  await migrate(db, { folder });
  await write('0001_a.sql', '');
  await expect(migrate(db, { folder })).rejects.toThrow('Another version of Waymark migrated the database');
});

describe('a table that a transaction uses', () => {
  async function givenBusyTable() {
    const given = await givenMigrations({ '0001_a.sql': 'create table a ();' });
    await migrate(given.db, given);
    await given.write('0002_column.sql', 'alter table a add column id integer;');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
    const busy = given
      .connect()
      .transaction()
      .execute(async (db) => {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
        await sql`select from a`.execute(db);
        lock();
        await released;
      });
    await locked;
    return {
      ...given,
      async release() {
        release();
        await busy;
      },
    };
  }

  it('is asked for again until it is free', async () => {
    const { db, connect, folder, release } = await givenBusyTable();
    const migrated = migrate(connect(), { folder, lockTimeoutMs: 20, pauseMs: 5, retries: 100_000 });
    const attempts = new Set<unknown>();
    await expect
      .poll(async () => {
        const { rows } = await sql<{ at: string }>`
          select query_start::text as at from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        for (const { at } of rows) attempts.add(at);
        return attempts.size;
      })
      .toBeGreaterThan(1);
    await release();
    expect(await migrated).toEqual(['0002_column']);
  });

  it('is given up after so many attempts, and nothing is changed', async () => {
    const { db, folder, release } = await givenBusyTable();
    await expect(migrate(db, { folder, lockTimeoutMs: 20, pauseMs: 5, retries: 2 })).rejects.toThrow(
      "Migration '0002_column' did not get its lock: other transactions use its tables. Run `migrate` again",
    );
    expect(await applied(db)).toEqual(['0001_a']);
    await release();
    expect(await migrate(db, { folder })).toEqual(['0002_column']);
  });
});

describe('the time of a statement', () => {
  it('is 30 seconds in a transaction, and 2 for a lock', async () => {
    const { db, folder } = await givenMigrations({
      '0001_limits.sql':
        "create table a as select current_setting('statement_timeout') || current_setting('lock_timeout') as t;",
    });
    await migrate(db, { folder });
    expect(await firstOf(db, 'select t from a')).toBe('30s2s');
  });

  it('ends the migration, of which nothing stays', async () => {
    const { db, folder } = await givenMigrations({ '0001_slow.sql': 'create table a (); select pg_sleep(600);' });
    await expect(migrate(db, { folder, statementTimeoutMs: 50 })).rejects.toThrow('statement timeout');
    expect(await applied(db)).toEqual([]);
    expect(await firstOf(db, "select to_regclass('a')")).toBeNull();
  });

  it('has no limit outside of a transaction', async () => {
    const { db, folder } = await givenMigrations({
      '0001_slow.sql': '-- outside a transaction\nselect pg_sleep(0.2);',
    });
    expect(await migrate(db, { folder, statementTimeoutMs: 50 })).toEqual(['0001_slow']);
  });
});

describe('an index that is built concurrently', () => {
  const files = {
    '0001_a.sql': 'create table a (id integer); insert into a values (1), (1);',
    '0002_index.sql': '-- outside a transaction\ncreate unique index concurrently if not exists a_id on a (id);',
  };
  const VALID = "select indisvalid from pg_index where indexrelid = to_regclass('a_id')";

  it('is dropped and built anew when an earlier attempt failed and left it invalid', async () => {
    const { db, folder } = await givenMigrations(files);
    await expect(migrate(db, { folder })).rejects.toThrow(
      "Migration '0002_index' failed: could not create unique index",
    );
    expect(await firstOf(db, VALID)).toBe(false);
    await expect(migrate(db, { folder })).rejects.toThrow('could not create unique index');
    await sql`delete from a where ctid = (select min(ctid) from a)`.execute(db);
    expect(await migrate(db, { folder })).toEqual(['0002_index']);
    expect(await firstOf(db, VALID)).toBe(true);
  });

  it('is left as it is when it was built and the process ended before that was recorded', async () => {
    const { db, folder } = await givenMigrations({ ...files, '0001_a.sql': 'create table a (id integer);' });
    await migrate(db, { folder });
    const built = await firstOf(db, "select 'a_id'::regclass::oid");
    await sql`delete from migration where name = '0002_index'`.execute(db);
    expect(await migrate(db, { folder })).toEqual(['0002_index']);
    expect(await firstOf(db, "select 'a_id'::regclass::oid")).toBe(built);
  });
});
