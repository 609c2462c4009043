import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Problem } from '../errors.ts';
import { MIGRATIONS } from '../places.ts';
import type { Db } from './db.ts';
import { isLockTimeout } from './failure.ts';

export interface MigrationSettings {
  readonly folder: string;
  /** For the lock on a table: while a migration waits for it, all later requests for the table wait behind it. */
  readonly lockTimeoutMs: number;
  /** For each statement in a transaction, which may keep servers from a table until it ends. */
  readonly statementTimeoutMs: number;
  /** How often a migration is begun anew that did not get its lock, and how long after the last time. */
  readonly retries: number;
  readonly pauseMs: number;
}

const DEFAULTS: MigrationSettings = {
  folder: MIGRATIONS,
  lockTimeoutMs: 2_000,
  statementTimeoutMs: 30_000,
  retries: 30,
  pauseMs: 1_000,
};

/** The first line of a file with one statement that PostgreSQL refuses in a transaction, and that bears repetition. */
const OUTSIDE = '-- outside a transaction\n';

/** Held by who migrates. Any number that no other advisory lock of this database has. */
const LOCK = 7_021_994;

interface Migration {
  readonly name: string;
  readonly text: string;
}

/**
 * Applies the plain SQL files that are missing, forward only, in the order of their names; several processes may call it
 * at once. Returns the names of what was applied.
 */
export async function migrate(db: Db, given: Partial<MigrationSettings> = {}): Promise<string[]> {
  const settings = { ...DEFAULTS, ...given };
  const migrations = await readMigrations(settings.folder);
  return db.connection().execute(async (db) => {
    await lock(db, settings.pauseMs);
    try {
      const pending = await pendingOf(db, migrations);
      for (const migration of pending) {
        if (migration.text.startsWith(OUTSIDE)) await applyOutside(db, migration);
        else await applyWithRetries(db, migration, settings);
      }
      return pending.map(({ name }) => name);
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(db);
    }
  });
}

/** Lists the migrations that are missing, and changes nothing. */
export async function listPending(db: Db): Promise<string[]> {
  const migrations = await readMigrations(MIGRATIONS);
  const { rows } = await sql<{ is_empty: boolean }>`select to_regclass('migration') is null as is_empty`.execute(db);
  const pending = rows[0]?.is_empty ? migrations : await pendingIn(db, migrations);
  return pending.map(({ name }) => name);
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => ({ name: file.replace('.sql', ''), text: await readFile(join(folder, file), 'utf8') })),
  );
}

/** Asks again and again: an index that is built concurrently would wait for the end of a statement that waits here. */
async function lock(db: Db, pauseMs: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${LOCK}) as locked`.execute(db);
    if (rows[0]?.locked) return;
    await sleep(pauseMs);
  }
}

async function pendingOf(db: Db, migrations: readonly Migration[]): Promise<Migration[]> {
  await sql`create table if not exists migration (name text primary key, applied_at timestamptz not null)`.execute(db);
  return pendingIn(db, migrations);
}

/** A newer version may have applied more: this one runs on those too, so going back needs nothing. */
async function pendingIn(db: Db, migrations: readonly Migration[]): Promise<Migration[]> {
  const applied = await db.selectFrom('migration').select('name').orderBy(sql`name collate "C"`).execute();
  const differs = migrations.some(({ name }, place) => (applied[place]?.name ?? name) !== name);
  if (differs) throw new Problem('conflict', 'Another version of Waymark migrated the database');
  return migrations.slice(applied.length);
}

async function applyWithRetries(db: Db, migration: Migration, settings: MigrationSettings): Promise<void> {
  for (let left = settings.retries; ; left--) {
    try {
      return await applyInside(db, migration, settings);
    } catch (error) {
      if (!isLockTimeout(error)) throw failed(migration, error);
      if (left === 0) throw withoutLock(migration, error);
      await sleep(settings.pauseMs);
    }
  }
}

async function applyInside(db: Db, migration: Migration, settings: MigrationSettings): Promise<void> {
  await db.transaction().execute(async (db) => {
    await sql`select set_config('lock_timeout', ${`${settings.lockTimeoutMs}`}, true),
      set_config('statement_timeout', ${`${settings.statementTimeoutMs}`}, true)`.execute(db);
    await sql.raw(migration.text).execute(db);
    await record(db, migration);
  });
}

async function applyOutside(db: Db, migration: Migration): Promise<void> {
  try {
    await dropInvalidIndex(db, migration);
    await sql.raw(migration.text).execute(db);
    await record(db, migration);
  } catch (error) {
    throw failed(migration, error);
  }
}

/** A build that failed leaves an index that is never used, and that `if not exists` takes for the wanted one. */
async function dropInvalidIndex(db: Db, { text }: Migration): Promise<void> {
  const [, name] = /^create (?:unique )?index concurrently (?:if not exists )?(\w+)/im.exec(text) ?? [];
  if (name === undefined) return;
  const { rows } = await sql`
    select from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`.execute(db);
  if (rows.length > 0) await sql`drop index concurrently ${sql.id(name)}`.execute(db);
}

async function record(db: Db, { name }: Migration): Promise<void> {
  await db.insertInto('migration').values({ name, applied_at: sql<Date>`now()` }).execute();
}

function failed({ name }: Migration, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`Migration '${name}' failed: ${reason}`, { cause });
}

function withoutLock({ name }: Migration, cause: unknown): Problem {
  const message = `Migration '${name}' did not get its lock: other transactions use its tables. Run \`migrate\` again`;
  return new Problem('conflict', message, { cause });
}
