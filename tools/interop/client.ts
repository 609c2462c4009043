import { type ExecFileException, execFile, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from '../services/endpoints.ts';

const home = join(dataDir, 'interop');
const program = join(home, 'node_modules/@kosli/cli-linux-x64/bin/kosli');
const pinned = '@kosli/cli-linux-x64@2.43.1';
const programSha256 = 'da9bce87e53d0d91c64c76bddef792f8280378cb36b6cfdd79c27b6b5cd42337';

export interface Result {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

type Variables = Readonly<Record<string, string>>;

export type Client = (args: readonly string[], more?: Variables) => Promise<Result>;

/** The client with an environment of its own: no settings of the user, no CI variables. */
export function clientIn(settings: Variables): Client {
  installMissing();
  return (args, more = {}) => {
    const env = { PATH: process.env['PATH'], HOME: home, ...settings, ...more };
    return new Promise((resolve) => {
      execFile(program, args, { cwd: home, env, timeout: 30_000 }, (error, out, err) =>
        resolve({ exit: exitOf(error), out, err }),
      );
    });
  };
}

/** -1 for a program that was ended or did not start. */
function exitOf(error: ExecFileException | null): number {
  if (!error) return 0;
  return typeof error.code === 'number' ? error.code : -1;
}

/** Writes a file for the client to read and returns its path. */
export function givenFile(name: string, text: string): string {
  mkdirSync(home, { recursive: true });
  const path = join(home, name);
  writeFileSync(path, text);
  return path;
}

/** It is an external judge and never a dependency, so no manifest of ours names it. */
function installMissing(): void {
  if (isInstalled()) return;
  mkdirSync(home, { recursive: true });
  const args = ['install', '--prefix', home, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', pinned];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm could not install ${pinned}`);
  if (!isInstalled()) throw new Error(`${program} is not the ${pinned} that was looked at`);
}

function isInstalled(): boolean {
  return existsSync(program) && hash('sha256', readFileSync(program)) === programSha256;
}
