import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canaries } from './check/canaries.ts';
import { gates } from './check/gates.ts';

/** Lint, types, boundaries, dead code. Each gate first has to catch a fault planted for it. */

const ROOT = join(import.meta.dirname, '..');

function run(command: string, args: readonly string[]): { status: number; output: string } {
  const { status, stdout, stderr, error } = spawnSync(join(ROOT, 'node_modules/.bin', command), args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  return { status: status ?? 1, output: stdout + stderr };
}

let failed = 0;
for (const { name, file, text, command, args, mustSay } of canaries) {
  const path = join(ROOT, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const { status, output } = run(command, args);
  rmSync(path);
  if (status !== 0 && output.includes(mustSay)) continue;
  failed += 1;
  process.stdout.write(`CANARY GOT THROUGH  ${name}: expected a failure that says ${mustSay}\n${output}\n`);
}
process.stdout.write(`${canaries.length - failed} of ${canaries.length} canaries caught\n`);

for (const { name, command, args } of gates) {
  const { status, output } = run(command, args);
  process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'}  ${name}\n`);
  if (status === 0) continue;
  failed += 1;
  process.stdout.write(`${output}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
