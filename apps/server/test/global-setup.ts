import type { TestProject } from 'vitest/node';
import { createMigratedDatabase, dropDatabases } from './databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    templateDatabase: string;
  }
}

/** Migrates one database; every test file clones it. Clones are dropped at the end, when nobody is connected. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { name } = await createMigratedDatabase();
  project.provide('templateDatabase', name);
  return () => dropDatabases(name);
}
