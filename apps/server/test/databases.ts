import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { endpoints } from '../../../tools/services/endpoints.ts';
import { openDb } from '../src/platform/db/db.ts';
import { grantUse } from '../src/platform/db/grant-use.ts';
import { migrate } from '../src/platform/db/migrate.ts';

/** Servers under test have this role, which may change no table. */
export const SERVER_ROLE = 'waymark_server';

export async function withAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: endpoints().postgresUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Makes a database, empty or as a copy of a template, and returns its URL. A copy carries its template's name. */
export async function createDatabase(template?: string): Promise<{ name: string; url: string }> {
  const name = `${template ?? 'wm_test'}_${randomBytes(4).toString('hex')}`;
  await withAdmin((client) => client.query(`create database ${name}${template ? ` template ${template}` : ''}`));
  return { name, url: urlOf(name) };
}

/** Makes a database with all migrations and no rows. */
export async function createMigratedDatabase(): Promise<{ name: string; url: string }> {
  const database = await createDatabase();
  const db = openDb({ url: database.url, poolSize: 2, statementTimeoutMs: 0 }, pino({ level: 'silent' }));
  await migrate(db);
  await grantUse(db, serverUrlOf(database.url));
  await db.destroy();
  return database;
}

/** The URL by which a server gets to a database. */
export function serverUrlOf(url: string): string {
  const asServer = new URL(url);
  asServer.username = SERVER_ROLE;
  return asServer.href;
}

export function urlOf(name: string): string {
  const url = new URL(endpoints().postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops a template and all copies of it. */
export async function dropDatabases(template: string): Promise<void> {
  await withAdmin(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [template],
    );
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
  });
}
