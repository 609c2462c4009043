import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataDir } from '../services/endpoints.ts';
import { withLock } from '../services/lock.ts';
import { findFreePort } from '../services/port.ts';
import { runProgram } from './run-program.ts';

const HOME = join(dataDir, 'npm-registry');
const LOCKED = join(import.meta.dirname, 'verdaccio');

/** A registry on loopback, with nothing in it. */
export interface NpmRegistry {
  readonly url: string;
  /** A configuration of npm with the right to publish, in a file. */
  readonly userConfig: string;
  readonly stop: () => Promise<void>;
}

/** Installs Verdaccio as its lockfile has it, outside of the workspace: nothing that is released may depend on it. */
async function installVerdaccio(): Promise<string> {
  const program = join(HOME, 'node_modules/verdaccio/bin/verdaccio');
  const lock = readFileSync(join(LOCKED, 'package-lock.json'), 'utf8');
  await withLock(async () => {
    const stamp = join(HOME, 'installed');
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
    rmSync(HOME, { recursive: true, force: true });
    mkdirSync(HOME, { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(LOCKED, name), join(HOME, name));
    runProgram('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: HOME });
    writeFileSync(stamp, lock);
  }, 'waymark-npm-registry');
  return program;
}

/** Starts Verdaccio. Packages of others come from the registry that npm is set to. */
export async function startNpmRegistry(): Promise<NpmRegistry> {
  const program = await installVerdaccio();
  const root = mkdtempSync(join(tmpdir(), 'npm-registry-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const upstream = runProgram('npm', ['config', 'get', 'registry']).toString().trim();
  const config = {
    storage: join(root, 'storage'),
    auth: { htpasswd: { file: join(root, 'htpasswd'), algorithm: 'sha1' } },
    uplinks: { upstream: { url: upstream, cache: false } },
    packages: {
      '@waymark/*': { access: '$all', publish: '$authenticated' },
      '**': { access: '$all', proxy: 'upstream' },
    },
    web: { enable: false },
    log: { type: 'stdout', format: 'json', level: 'warn' },
  };
  // JSON is YAML.
  writeFileSync(join(root, 'config.yaml'), JSON.stringify(config));
  const args = [program, '--config', join(root, 'config.yaml'), '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    // It warns of running as root, which it does in containers.
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
    rmSync(root, { recursive: true, force: true });
  };
  try {
    await waitUntilUp(url, child);
    const userConfig = join(root, 'npmrc');
    const address = url.replace('http:', '');
    writeFileSync(userConfig, `registry=${url}\n${address}:_authToken=${await createUser(url)}\n`, { mode: 0o600 });
    return { url, userConfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function waitUntilUp(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Verdaccio ended with ${child.exitCode}`);
    const answer = await fetch(new URL('-/ping', url)).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
}

async function createUser(url: string): Promise<string> {
  const answer = await fetch(new URL('-/user/org.couchdb.user:release', url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'release', password: crypto.randomUUID() }),
  });
  const { token } = (await answer.json()) as { token?: string };
  if (token === undefined) throw new Error(`The registry refused a user: ${answer.status}`);
  return token;
}
