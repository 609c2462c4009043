import type { TestProject } from 'vitest/node';
import { type BuiltPrograms, buildPrograms } from '../../../tools/release/built-programs.ts';
import { createMigratedDatabase, dropDatabases } from './databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    templateDatabase: string;
    programs: BuiltPrograms;
  }
}

/** Builds the programs, and migrates one database; every test file clones it. Clones are dropped at the end, when nobody is connected. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { name } = await createMigratedDatabase();
  project.provide('templateDatabase', name);
  project.provide('programs', await buildPrograms());
  return () => dropDatabases(name);
}
