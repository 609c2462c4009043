import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { openDb } from '../src/platform/db/db.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { createDatabase, dropDatabases } from './databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    templateDatabase: string;
  }
}

/** Migrates one database; every test file clones it. Clones are dropped at the end, when nobody is connected. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { name, url } = await createDatabase();
  const db = openDb({ url, poolSize: 2, statementTimeoutMs: 0 }, pino({ level: 'silent' }));
  await migrate(db);
  await db.destroy();
  project.provide('templateDatabase', name);
  return () => dropDatabases(name);
}
