import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from './endpoints.ts';

const binDir = join(dataDir, 'bin');

interface GoProgram {
  readonly path: string;
  readonly module: string;
}

export const natsServer: GoProgram = {
  path: join(binDir, 'nats-server'),
  module: 'github.com/nats-io/nats-server/v2@v2.12.4',
};

export const versitygw: GoProgram = {
  path: join(binDir, 'versitygw'),
  module: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
};

export function installMissing(): void {
  installPostgres();
  installGoProgram(natsServer);
  installGoProgram(versitygw);
}

/** A server program of PostgreSQL 15; Debian keeps them off PATH. */
export function postgresProgram(name: string): string {
  return join(findPostgres() ?? debianPostgres, name);
}

const debianPostgres = '/usr/lib/postgresql/15/bin';

function findPostgres(): string | undefined {
  if (existsSync(join(debianPostgres, 'initdb'))) return debianPostgres;
  const configured = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim();
  return configured && existsSync(join(configured, 'initdb')) ? configured : undefined;
}

function installPostgres(): void {
  if (findPostgres() !== undefined) return;
  if (process.getuid?.() !== 0) throw new Error('PostgreSQL 15 is missing; as root: apt-get install postgresql-15');
  run('apt-get', ['update', '-q']);
  run('apt-get', ['install', '-qy', '--no-install-recommends', 'postgresql-15'], { DEBIAN_FRONTEND: 'noninteractive' });
}

/** The stamp beside the program tells a build of another version from the pinned one. */
function installGoProgram({ path, module }: GoProgram): void {
  const stamp = `${path}.module`;
  if (existsSync(path) && existsSync(stamp) && readFileSync(stamp, 'utf8') === module) return;
  mkdirSync(binDir, { recursive: true });
  run('go', ['install', module], { GOBIN: binDir });
  writeFileSync(stamp, module);
}

function run(command: string, args: readonly string[], env: Record<string, string> = {}): void {
  const line = [command, ...args].join(' ');
  console.log(line);
  const { status, error } = spawnSync(command, args, { env: { ...process.env, ...env }, stdio: 'inherit' });
  if (error) throw new Error(`cannot run ${command}: ${error.message}`);
  if (status !== 0) throw new Error(`\`${line}\` failed`);
}
