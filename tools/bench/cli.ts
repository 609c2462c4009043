import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildBinary, buildPackage, packPackage, sizeOf } from '../release/build-cli.ts';
import { ask } from './call.ts';
import { type Installation, install, serviceRoots } from './installation.ts';
import { median, print, round2, untilQuiet } from './rounds.ts';
import { setting } from './settings.ts';

const ROUNDS = setting('BENCH_ROUNDS', 21);
const COMMIT = '1b6453892473a467d07372d45eb05abc2031647a';
/** Times of a Node that does nothing. */
const CEILINGS: Readonly<Record<string, number>> = {
  version: 1.5,
  attest: 10,
  'binary version': 3,
  'binary attest': 10,
};
const WIDTH = 14;

type Started = Readonly<Record<string, readonly string[]>>;

/** How long a user waits for the version, and for one attestation, compared with Node that has nothing to do. */
export async function benchCli(): Promise<boolean> {
  const out = mkdtempSync(join(tmpdir(), 'waymark-bench-cli-'));
  const installation = await install();
  const api = await installation.start('api');
  try {
    await buildPackage(join(out, 'npm'));
    const program = join(out, 'npm/dist/waymark.js');
    const binary = await buildBinary(out);
    printSizes(out, binary);
    const env = await givenTrail(installation);
    const attest = ['attest', 'generic', '--name', 'lint', '--compliant', 'true', '--commit', COMMIT];
    const started: Started = {
      'node -e 0': [process.execPath, '-e', '0'],
      version: [process.execPath, program, '--version'],
      attest: [process.execPath, program, ...attest],
      'binary version': [binary, '--version'],
      'binary attest': [binary, ...attest],
    };
    return report(await measureAll(started, env, [...serviceRoots(), api.pid]));
  } finally {
    await api.stop();
    installation.remove();
    rmSync(out, { recursive: true });
  }
}

function printSizes(out: string, binary: string): void {
  const mib = (path: string) => `${(sizeOf(path) / 1024 / 1024).toFixed(2)} MiB`;
  const tarball = join(out, packPackage(join(out, 'npm'), out));
  print(`package ${mib(tarball)}, unpacked ${mib(join(out, 'npm/dist'))}, binary ${mib(binary)}`);
}

async function givenTrail({ url, admin }: Installation): Promise<NodeJS.ProcessEnv> {
  admin('user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
  const key = admin('key', 'create', '--user', 'ada');
  await ask(url, key, { method: 'PUT', path: '/flows/acme', body: { name: 'shop' } });
  await ask(url, key, { method: 'PUT', path: '/trails/acme/shop', body: { name: 'release-1' } });
  return {
    PATH: process.env['PATH'],
    HOME: tmpdir(),
    WAYMARK_HOST: url,
    WAYMARK_ORG: 'acme',
    WAYMARK_TOKEN: key,
    WAYMARK_FLOW: 'shop',
    WAYMARK_TRAIL: 'release-1',
  };
}

/** One after another in each round, so that a slow moment affects all of them. */
async function measureAll(
  started: Started,
  env: NodeJS.ProcessEnv,
  roots: readonly number[],
): Promise<Record<string, number>[]> {
  const names = Object.keys(started);
  const once = async () => {
    const times: Record<string, number> = {};
    for (const [name, line] of Object.entries(started)) times[name] = await timeOf(line, env);
    return times;
  };
  await once();
  print(`round  ${names.map((name) => name.padStart(WIDTH)).join('  ')}  others`);
  const rounds: Record<string, number>[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const times = await untilQuiet(roots, once, (times, others) => {
      const figures = names.map((name) => `${(times[name] ?? 0).toFixed(1)} ms`.padStart(WIDTH));
      print(`${String(round).padStart(5)}  ${figures.join('  ')}  ${others}`);
    });
    rounds.push(times);
  }
  return rounds;
}

async function timeOf([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const begin = performance.now();
  const child = spawn(program, args, { env, cwd: tmpdir(), stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}`);
  return performance.now() - begin;
}

function report(rounds: readonly Record<string, number>[]): boolean {
  const of = (name: string) => rounds.map((times) => times[name] ?? Number.NaN);
  const bare = of('node -e 0');
  const results = Object.entries(CEILINGS).map(([name, ceiling]) => {
    const times = of(name);
    const ratio = median(times.map((ms, round) => ms / (bare[round] ?? Number.NaN)));
    return { name, ms: round2(median(times)), ratio: round2(ratio), ceiling };
  });
  print(JSON.stringify({ name: 'cli', node: round2(median(bare)), results }));
  return results.every(({ ratio, ceiling }) => ratio <= ceiling);
}
