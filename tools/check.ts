import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Canary, type CanaryRun, canaryRuns } from './check/canaries.ts';
import { copyTree } from './check/copy-tree.ts';
import { type Gate, gates, type Program } from './check/gates.ts';
import { isAnyReleased, RELEASED, releasedApi, releasedApiCanary } from './check/released-api.ts';
import { installOasdiff, installVale } from './services/install.ts';

/**
 * Lint, types, boundaries, dead code. Each gate first has to catch faults planted for it. All of it happens in a copy:
 * the working tree is read once, and can be edited while this runs.
 */

const ROOT = join(import.meta.dirname, '..');
/** Some tools use one core only. */
const MAX_CONCURRENT = 2;

const copy = mkdtempSync(join(tmpdir(), 'waymark-check-'));
const interrupted = new AbortController();
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    interrupted.abort();
    process.exit(1);
  });
}

interface Outcome {
  readonly failed: boolean;
  readonly output: string;
}

function run({ command, args }: Program): Promise<Outcome> {
  const options = { cwd: copy, maxBuffer: 64 * 1024 * 1024, signal: interrupted.signal };
  const path = resolve(copy, 'node_modules/.bin', command);
  return new Promise((done) => {
    execFile(path, args, options, (error, stdout, stderr) => {
      const hasRun = error === null || typeof error.code === 'number';
      done({ failed: error !== null, output: hasRun ? stdout + stderr : `${stdout}${stderr}${error.message}` });
    });
  });
}

async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const lanes = Array.from({ length: MAX_CONCURRENT }, async () => {
    for (const item of waiting) await work(item);
  });
  await Promise.all(lanes);
}

let failures = 0;

function plant({ file, text }: Canary): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
}

async function catchCanaries(canaryRun: CanaryRun): Promise<void> {
  const { failed, output } = await run(canaryRun);
  const missed = canaryRun.canaries.filter(({ mustSay }) => !failed || !mustSay.every((part) => output.includes(part)));
  failures += missed.length;
  for (const { name, mustSay } of missed) {
    process.stdout.write(`CANARY GOT THROUGH  ${name}: expected a failure that says ${mustSay.join(' and ')}\n`);
  }
  if (missed.length > 0) process.stdout.write(`${output}\n`);
}

async function pass(gate: Gate): Promise<void> {
  const { failed, output } = await run(gate);
  process.stdout.write(`${failed ? 'FAILED' : 'ok    '}  ${gate.name}\n`);
  if (!failed) return;
  failures += 1;
  process.stdout.write(`${output}\n`);
}

const isReleased = isAnyReleased();
if (isReleased) installOasdiff();
installVale();
copyTree(ROOT, copy);

const runs = isReleased ? [...canaryRuns, releasedApiCanary()] : canaryRuns;
const canaries = runs.flatMap((canaryRun) => canaryRun.canaries);
canaries.forEach(plant);
await forEach(runs, catchCanaries);
process.stdout.write(`${canaries.length - failures} of ${canaries.length} canaries caught\n`);

for (const { file } of canaries) rmSync(join(copy, file));
await forEach(isReleased ? [...gates, releasedApi] : gates, pass);
if (!isReleased) process.stdout.write(`none    ${releasedApi.name}: there is no ${RELEASED} before the first tag\n`);
process.exit(failures === 0 ? 0 : 1);
