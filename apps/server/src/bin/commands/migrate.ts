import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Config, loadConfig } from '../../config/env.ts';
import { type Db, openDb, probe } from '../../platform/db/db.ts';
import { isUnavailable } from '../../platform/db/failure.ts';
import { grantUse } from '../../platform/db/grant-use.ts';
import { listPending, migrate } from '../../platform/db/migrate.ts';
import { Problem, unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { start } from '../start.ts';
import { print } from './with-db.ts';

/** For a database that is started at the same time. */
const REACHABLE_WITHIN_MS = 60_000;
const WAIT_MS = 10 * 60_000;
const PAUSE_MS = 1_000;

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Migrate the database to this version; safe to run again, and concurrently')
    .option('--wait', 'do not migrate, but wait up to 10 minutes until another process has migrated the database')
    .action(async ({ wait }: { wait?: true }) => {
      const { config, log } = start(loadConfig);
      await (wait ? waitUntilMigrated(config, log) : migrateAsOwner(config, log));
    });
}

async function migrateAsOwner({ database, databaseOwnerUrl }: Config, log: Logger): Promise<void> {
  await withRole(databaseOwnerUrl ?? database.url, log, async (owner) => {
    await untilReachable(owner);
    const applied = await migrate(owner);
    print(applied.length === 0 ? 'The database is up to date' : `Applied ${applied.join(', ')}`);
    if (databaseOwnerUrl === undefined) return;
    const role = await grantUse(owner, database.url);
    print(`Role '${role}' can read and write rows, but not change tables`);
  });
}

async function untilReachable(db: Db): Promise<void> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      return await probe(db);
    } catch (error) {
      if (!isUnavailable(error) || waited >= REACHABLE_WITHIN_MS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** For servers that start beside the migration: one that starts too early would end, and count as broken. */
async function waitUntilMigrated({ database }: Config, log: Logger): Promise<void> {
  await withRole(database.url, log, async (db) => {
    for (let waited = 0; waited < WAIT_MS; waited += PAUSE_MS) {
      if (await isMigrated(db)) return print('The database is up to date');
      await sleep(PAUSE_MS);
    }
    throw unavailable('The database was not migrated within 10 minutes: run `waymark-server migrate`');
  });
}

/** A database that does not answer yet, or lets this role in to nothing yet, is waited for as well. */
async function isMigrated(db: Db): Promise<boolean> {
  try {
    return (await listPending(db)).length === 0;
  } catch (error) {
    if (error instanceof Problem) throw error;
    return false;
  }
}

async function withRole<T>(url: string, log: Logger, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDb({ url, poolSize: 2, statementTimeoutMs: 0 }, log);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
