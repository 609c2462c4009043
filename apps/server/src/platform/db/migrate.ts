import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { Problem } from '../errors.ts';
import type { Db } from './db.ts';

const FOLDER = join(import.meta.dirname, '../../../migrations');

/** Plain SQL files, forward only, in the order of their names. */
const sqlFiles: MigrationProvider = {
  async getMigrations() {
    const migrations: Record<string, Migration> = {};
    for (const file of (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()) {
      const text = await readFile(join(FOLDER, file), 'utf8');
      migrations[file.replace('.sql', '')] = { up: async (db) => void (await sql.raw(text).execute(db)) };
    }
    return migrations;
  },
};

/** Applies what is missing; several processes may call it at once. Returns the names of what was applied. */
export async function migrate(db: Db): Promise<string[]> {
  const { error, results } = await new Migrator({ db, provider: sqlFiles }).migrateToLatest();
  if (error instanceof Error && /corrupted migrations/.test(error.message)) {
    throw new Problem('conflict', 'The database was migrated by a newer or another version of Waymark', {
      cause: error,
    });
  }
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}
