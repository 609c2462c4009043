import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { inject, onTestFinished, vi } from 'vitest';
import { compiled } from '../../../../tools/services/compiled.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server in a separate process, as an operator runs it. */
export interface ServerProcess {
  readonly pid: number;
  isRunning(): boolean;
  /** Kills the process without warning. */
  kill(): Promise<Exit>;
  stop(): Promise<Exit>;
  /** The process stops working, but its connections stay open. */
  freeze(): void;
  thaw(): void;
  /** Messages of its log so far; at level `error`, those that need attention. */
  log(level?: 'error'): string[];
  stderr(): string;
}

/** Registers cleanup for the end of the test, or of whatever else it belongs to. */
export type AtEnd = (work: () => void | Promise<void>) => void;

type Env = Readonly<Record<string, string>>;

/** Starts `waymark-server <args>` and waits until it is ready. It ends with its owner. */
export async function startServer(
  args: readonly string[],
  env: Env,
  isReady: (server: ServerProcess) => Promise<boolean> | boolean,
  atEnd: AtEnd = onTestFinished,
): Promise<ServerProcess> {
  const child = launch(args, env);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output.stderr += chunk));
  const exited = new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exited;
  };
  const server: ServerProcess = {
    pid: child.pid ?? 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    log: (level) => messagesIn(output.stdout, level === 'error' ? 50 : 0),
    stderr: () => output.stderr,
  };
  atEnd(() => void child.kill('SIGKILL'));
  await vi.waitFor(
    async () => {
      if (!server.isRunning()) return;
      if (!(await isReady(server))) throw new Error(`${args.join(' ')} is not ready:\n${output.stdout}`);
    },
    // A server that exits is noticed at once; a starting one may share its machine with many.
    { timeout: 120_000, interval: 20 },
  );
  if (!server.isRunning()) throw new Error(`${args.join(' ')} ended while starting:\n${output.stdout}${output.stderr}`);
  return server;
}

/** Runs a command to its end. */
export async function runCommand(
  args: readonly string[],
  env: Env,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = launch(args, env);
  onTestFinished(() => void child.kill('SIGKILL'));
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

function launch(args: readonly string[], env: Env) {
  return spawn(process.execPath, [inject('programs').server, ...args], {
    env: { ...compiled, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function messagesIn(lines: string, leastLevel: number): string[] {
  return lines
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter((line) => line.level >= leastLevel)
    .map((line) => line.msg);
}
