import type { TestProject } from 'vitest/node';
import { buildWeb } from '../../../tools/demo/build-web.ts';
import { buildPrograms } from '../../../tools/release/built-programs.ts';
import { givenDemo } from '../../server/test/given/demo.ts';

/** Builds the application as shipped, and creates the history that the tests read: every file copies its database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildWeb();
  project.provide('programs', await buildPrograms());
  const { drop, ...demo } = await givenDemo();
  project.provide('demo', demo);
  return drop;
}
