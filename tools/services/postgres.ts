import { execFile, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Daemon, startDaemon, stopDaemon, type User, wipeDaemon } from './daemon.ts';
import { cloneId, dataDir, portBase, portsFrom } from './endpoints.ts';
import { postgresProgram } from './install.ts';

/** One cluster. Fault tests make their own, so that stopping it disturbs nobody. */
export interface PostgresCluster {
  readonly name: string;
  readonly port: number;
  readonly dir: string;
  /** Beside those that every cluster has. */
  readonly settings?: Readonly<Record<string, string>>;
}

export function sharedPostgres(): PostgresCluster {
  return { name: 'postgres', port: portsFrom(portBase()).postgres, dir: clusterDir('postgres') };
}

/** The folder of a cluster: in the clone, or under the temporary folder if the server's user cannot work there. */
export function clusterDir(name: string): string {
  const inClone = join(dataDir, name);
  mkdirSync(dataDir, { recursive: true });
  if (canEnter(dataDir) && socketPathFits(inClone)) return inClone;
  return join(tmpdir(), `waymark-${cloneId}-${name}`);
}

/** Starts the cluster, made first if need be, with a database `waymark` owned by superuser `waymark`. */
export async function startPostgres(cluster: PostgresCluster): Promise<void> {
  if (!existsSync(join(cluster.dir, 'PG_VERSION'))) initialise(cluster);
  writeFileSync(join(cluster.dir, 'postgresql.conf'), settings(cluster));
  await startDaemon(postgresDaemon(cluster));
  createDatabase(cluster);
}

/**
 * Fills the folder of a cluster with a copy of a running one, which stays usable meanwhile. When the copy is started, it
 * follows its source as a standby, or recovers to a target: its settings say from where, and how far.
 */
export async function copyPostgres(source: PostgresCluster, copy: PostgresCluster, signal: 'standby' | 'recovery') {
  const user = serverUser();
  makeDataDir(copy.dir, user);
  const args = [...address(source), '-U', 'waymark', '-D', copy.dir, '--checkpoint=fast'];
  await promisify(execFile)(postgresProgram('pg_basebackup'), args, { cwd: '/', ...user });
  writeFileSync(join(copy.dir, `${signal}.signal`), '');
}

/** `fast` ends sessions and checkpoints; `immediate` is a crash: the next start recovers from the log. */
export async function stopPostgres(cluster: PostgresCluster, mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
  await stopDaemon(postgresDaemon(cluster), mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
}

export async function wipePostgres(cluster: PostgresCluster): Promise<void> {
  await wipeDaemon(postgresDaemon(cluster), 'SIGQUIT', cluster.dir);
}

export function postgresDaemon(cluster: PostgresCluster): Daemon {
  return {
    name: cluster.name,
    command: postgresProgram('postgres'),
    args: ['-D', cluster.dir],
    user: serverUser(),
    ports: [cluster.port],
    isReady: async () => spawnSync(postgresProgram('pg_isready'), ['-q', ...address(cluster)]).status === 0,
  };
}

function initialise({ dir }: PostgresCluster): void {
  const user = serverUser();
  makeDataDir(dir, user);
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8'];
  runProgram('initdb', ['-D', dir, '-U', 'waymark', '--auth=trust', ...locale, '--no-instructions'], user);
}

function makeDataDir(dir: string, user: User | undefined): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (user) chownSync(dir, user.uid, user.gid);
}

/** Without it nothing is lost when a process dies, only when the machine does: tests that end with it need not wait. */
const fsync = process.env['WAYMARK_SERVICES_FSYNC'] === 'off' ? 'off' : 'on';

/** The whole file: what initdb wrote depends on the machine. */
function settings({ port, dir, settings = {} }: PostgresCluster): string {
  const more = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  return `listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${dir}'
max_connections = 300
shared_buffers = 256MB
max_wal_size = 4GB
fsync = ${fsync}
synchronous_commit = on
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %d '
${more.join('')}`;
}

function createDatabase(cluster: PostgresCluster): void {
  const psql = (database: string, sql: string): string =>
    runProgram('psql', [...address(cluster), '-U', 'waymark', '-d', database, '-XAtqc', sql]);
  const exists = psql('postgres', "select 1 from pg_database where datname = 'waymark'");
  if (exists === '') psql('postgres', 'create database waymark');
}

function address({ port }: PostgresCluster): string[] {
  return ['-h', '127.0.0.1', '-p', String(port)];
}

function runProgram(name: string, args: readonly string[], user?: User): string {
  const { status, stdout, stderr } = spawnSync(postgresProgram(name), args, { cwd: '/', encoding: 'utf8', ...user });
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  return stdout.trim();
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number =>
    Number.parseInt(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout, 10);
  const user = { uid: id('-u'), gid: id('-g') };
  return Number.isNaN(user.uid) ? undefined : user;
}

function canEnter(dir: string): boolean {
  return spawnSync('test', ['-x', dir], { cwd: '/', ...serverUser() }).status === 0;
}

/** Linux limits the path of a socket to 107 bytes. */
function socketPathFits(dir: string): boolean {
  return Buffer.byteLength(join(dir, '.s.PGSQL.00000')) <= 107;
}
