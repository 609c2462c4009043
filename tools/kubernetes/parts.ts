import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Part {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** Starts a program that has to run as long as the cluster: when it ends, this process ends with what it logged. */
export function startPart(folder: string, { name, command, args, env, user }: Part): ChildProcess {
  const path = join(folder, 'log', `${name}.log`);
  const log = openSync(path, 'a');
  const child = spawn(command, args, {
    cwd: '/',
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
    ...user,
  });
  child.once('exit', (code, signal) => {
    const output = readFileSync(path, 'utf8').slice(-3_000);
    process.stderr.write(`${name} ended with ${code ?? signal}:\n${output}\n`);
    process.exit(1);
  });
  return child;
}

const PATIENCE_MS = 600_000;

/** Asks until the answer is yes. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
    await sleep(100);
  }
}
