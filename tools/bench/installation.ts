import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../services/endpoints.ts';
import { findFreePort } from '../services/port.ts';
import { untilReady } from '../services/ready.ts';

const ROOT = join(import.meta.dirname, '../..');
const SERVER = join(ROOT, 'apps/server/src/bin/waymark-server.ts');

/** A database, stream and port of its own for one bench. */
export interface Installation {
  readonly database: string;
  readonly databaseUrl: string;
  readonly stream: string;
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  admin(...args: string[]): string;
  start(part: 'api' | 'worker'): Promise<Running>;
  sql(text: string): string;
  remove(): void;
}

export interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

export async function install(): Promise<Installation> {
  const { postgresUrl, natsUrl, dataDir } = endpoints();
  const database = `wm_bench_${randomBytes(4).toString('hex')}`;
  const target = new URL(postgresUrl);
  target.pathname = `/${database}`;
  // Of its own: the checkpoints of another ledger would stop its signing.
  const blobDir = join(dataDir, 'bench-blobs', database);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    WAYMARK_REGION: 'eu',
    WAYMARK_PUBLIC_URL: url,
    WAYMARK_PORT: String(port),
    WAYMARK_DATABASE_URL: target.href,
    WAYMARK_NATS_URL: natsUrl,
    WAYMARK_NATS_STREAM: database,
    WAYMARK_BLOB_DIR: blobDir,
    WAYMARK_RATE_PER_SECOND: '1000000',
    WAYMARK_RATE_BURST: '1000000',
    WAYMARK_LOG_LEVEL: 'warn',
  };
  psql(postgresUrl, `create database ${database}`);
  const installation: Installation = {
    database,
    databaseUrl: target.href,
    stream: database,
    url,
    env,
    admin: (...args) => run(process.execPath, [SERVER, ...args], env),
    start: (part) => startPart(part, env, url),
    sql: (text) => psql(target.href, text),
    remove() {
      psql(postgresUrl, `drop database ${database} with (force)`);
      rmSync(blobDir, { recursive: true, force: true });
    },
  };
  installation.admin('migrate');
  installation.admin('org', 'create', 'acme');
  return installation;
}

/** A key of an admin of the first org. */
export function makeKey(installation: Installation): string {
  installation.admin('user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
  return installation.admin('key', 'create', '--user', 'ada');
}

/** The database server and the stream server, whose load belongs to the measurement. */
export function serviceRoots(): number[] {
  const { dataDir } = endpoints();
  return ['postgres', 'nats'].map((name) =>
    Number(readFileSync(join(dataDir, 'run', `${name}.pid`), 'utf8').split('\n')[0]),
  );
}

async function startPart(part: 'api' | 'worker', env: NodeJS.ProcessEnv, url: string): Promise<Running> {
  return startNode([SERVER, part], env, part === 'api' ? url : undefined);
}

/** Starts a program of ours and waits until it is ready, if it says so at an address. */
export async function startNode(args: readonly string[], env: NodeJS.ProcessEnv, url?: string): Promise<Running> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  if (url) await untilReady(url, { isAlive, hint: 'Its log is above.' });
  return { pid: child.pid ?? 0, stop: () => stopChild(child) };
}

async function stopChild(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

export function psql(url: string, text: string): string {
  return run('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', url, '-c', text], process.env);
}

export function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  input?: string,
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    env,
    ...(input !== undefined && { input }),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${(stderr || stdout).slice(0, 4_000)}`);
  return stdout.trim();
}
