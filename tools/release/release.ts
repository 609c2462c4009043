import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { dryRun } from './dry-run.ts';
import type { Registries } from './publish.ts';

/**
 * Rehearses a release on this machine, with registries on loopback. A real one is made by .github/workflows/release.yml,
 * of the same parts.
 *
 *   pnpm release --dry-run [OUT] [--tests results.xml] [--serve]
 *
 * With --serve the registries stay until it is interrupted, to install from.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean' }, tests: { type: 'string' }, serve: { type: 'boolean', default: false } },
});
if (!values['dry-run']) throw new Error('pnpm release --dry-run; a release is published by pushing its tag');
const started = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${line}`);
await dryRun({
  out: resolve(positionals[0] ?? join(import.meta.dirname, '../../dist')),
  tests: values.tests === undefined ? undefined : resolve(values.tests),
  say,
  ...(values.serve && { whileServed: serve }),
});

async function serve({ images, charts, npm }: Registries): Promise<void> {
  say(`serving ${images}, ${charts} and ${npm.url} until interrupted`);
  // A signal alone does not keep a process running.
  const alive = setInterval(() => undefined, 60_000);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  clearInterval(alive);
}
