import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataDir } from './endpoints.ts';
import { areFree, refuseTakenPorts } from './port.ts';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** A program that outlives the command that started it. `command` and `args` together identify it. */
export interface Daemon {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  readonly user?: User | undefined;
  readonly ports: readonly number[];
  readonly isReady: () => Promise<boolean>;
}

/** The pid of the daemon if it runs. A recorded pid counts only while that process has our command line. */
export function findPid(daemon: Daemon): number | undefined {
  try {
    const pid = Number(readFileSync(pidFile(daemon), 'utf8'));
    const commandLine = [daemon.command, ...daemon.args].map((word) => `${word}\0`).join('');
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === commandLine ? pid : undefined;
  } catch {
    return undefined;
  }
}

export async function startDaemon(daemon: Daemon): Promise<void> {
  if (findPid(daemon) !== undefined) return untilReady(daemon, () => findPid(daemon) === undefined);
  await refuseTakenPorts(daemon.name, daemon.ports);
  const child = launch(daemon);
  // Not by its command line, which a process does not have at once.
  await untilReady(daemon, () => child.exitCode !== null || child.signalCode !== null);
}

export async function stopDaemon(daemon: Daemon, signal: NodeJS.Signals): Promise<void> {
  const pid = findPid(daemon);
  if (pid !== undefined) {
    process.kill(pid, signal);
    await until(() => isGone(daemon, pid), `${daemon.name} (pid ${pid}) does not stop on ${signal}`);
  }
  rmSync(pidFile(daemon), { force: true });
}

/** Stops the daemon as a crash would and deletes its data and log. */
export async function wipeDaemon(daemon: Daemon, signal: NodeJS.Signals, dir: string): Promise<void> {
  await stopDaemon(daemon, signal);
  for (const path of [dir, logFile(daemon)]) rmSync(path, { recursive: true, force: true });
}

/** A killed process loses its command line before its ports, and an unreaped one never leaves /proc. */
async function isGone(daemon: Daemon, pid: number): Promise<boolean> {
  if (!existsSync(`/proc/${pid}`)) return true;
  return findPid(daemon) === undefined && (await areFree(daemon.ports));
}

function launch(daemon: Daemon): ChildProcess {
  for (const file of [logFile(daemon), pidFile(daemon)]) mkdirSync(dirname(file), { recursive: true });
  const log = openSync(logFile(daemon), 'a');
  const child = spawn(daemon.command, daemon.args, {
    // A daemon of another user may not be allowed to enter the folder we are in.
    cwd: '/',
    detached: true,
    env: { ...process.env, ...daemon.env },
    stdio: ['ignore', log, log],
    ...daemon.user,
  });
  closeSync(log);
  child.once('error', (error) => console.error(`${daemon.name}: ${error.message}`));
  child.unref();
  if (child.pid === undefined) throw new Error(`${daemon.name}: cannot run ${daemon.command}`);
  writeFileSync(pidFile(daemon), `${child.pid}\n`);
  return child;
}

async function untilReady(daemon: Daemon, hasEnded: () => boolean): Promise<void> {
  await until(
    async () => {
      if (hasEnded()) throw new Error(`${daemon.name} ended while starting:\n${logTail(daemon)}`);
      return daemon.isReady();
    },
    `${daemon.name} runs but does not answer on port ${daemon.ports[0]}. Read ${logFile(daemon)}; starting it again is safe.`,
  );
}

/** Generous, since a busy machine is slow; a process that ends is detected at once. */
const PATIENCE_MS = 5 * 60_000;

async function until(condition: () => boolean | Promise<boolean>, timedOut: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(timedOut);
    await sleep(25);
  }
}

function logTail(daemon: Daemon): string {
  return readFileSync(logFile(daemon), 'utf8').trimEnd().split('\n').slice(-10).join('\n');
}

function pidFile(daemon: Daemon): string {
  return join(dataDir, 'run', `${daemon.name}.pid`);
}

function logFile(daemon: Daemon): string {
  return join(dataDir, 'log', `${daemon.name}.log`);
}

/** Whether an HTTP address answers 200 now. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}
