import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** Compares two descriptions of the API. */
export const oasdiff: GoProgram = {
  path: join(binDir, 'oasdiff'),
  module: 'github.com/oasdiff/oasdiff@v1.30.0',
};

/** Checks documents and strings against the rules of tools/prose. */
export const vale: GoProgram = {
  path: join(binDir, 'vale'),
  module: 'github.com/vale-cli/vale/v3/cmd/vale@v3.21.0',
};

export function installNats(): void {
  installGoProgram(natsServer);
}

export function installS3(): void {
  installGoProgram(versitygw);
}

export function installOasdiff(): void {
  installGoProgram(oasdiff);
}

export function installVale(): void {
  installGoProgram(vale);
}

/** A program of the PostgreSQL server; Debian keeps them off PATH. */
export function postgresProgram(name: string): string {
  const directory = findPostgres();
  if (directory === undefined) throw new Error(POSTGRES_IS_MISSING);
  return join(directory, name);
}

const DEBIAN_VERSIONS = '/usr/lib/postgresql';
const OLDEST_VERSION = 15;
const POSTGRES_IS_MISSING = `PostgreSQL ${OLDEST_VERSION} or newer is missing; as root: apt-get install postgresql`;

function findPostgres(): string | undefined {
  const configured = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim();
  return choosePostgres(DEBIAN_VERSIONS, configured);
}

/** The oldest version that is supported comes first: what works on it works on newer ones. */
export function choosePostgres(versionsIn: string, configured?: string): string | undefined {
  const debian = existsSync(versionsIn) ? readdirSync(versionsIn) : [];
  const versions = debian.map(Number).filter((version) => version >= OLDEST_VERSION);
  const directories = versions.toSorted((a, b) => a - b).map((version) => `${versionsIn}/${version}/bin`);
  return [...directories, ...(configured ? [configured] : [])].find((path) => existsSync(join(path, 'initdb')));
}

/** The package is that of the distribution's own version: 15 on Debian 12, 16 on Ubuntu 24.04, 17 on Debian 13. */
export function installPostgres(): void {
  if (findPostgres() !== undefined) return;
  if (process.getuid?.() !== 0) throw new Error(POSTGRES_IS_MISSING);
  run('apt-get', ['update', '-q']);
  run('apt-get', ['install', '-qy', '--no-install-recommends', 'postgresql'], { DEBIAN_FRONTEND: 'noninteractive' });
}

/** As in the dev container. An older Go from 1.21 on fetches the toolchain that a module needs; one before that cannot. */
export const GO_VERSION = '1.26';

/** Builds a program unless it exists. The stamp beside it tells a build of another version from the pinned one. */
export function installGoProgram({ path, module }: GoProgram): void {
  const stamp = `${path}.module`;
  if (existsSync(path) && existsSync(stamp) && readFileSync(stamp, 'utf8') === module) return;
  if (spawnSync('go', ['version']).error) {
    throw new Error(
      `Couldn't build ${module}: there is no \`go\` on the PATH. ` +
        `Install Go ${GO_VERSION} or newer from https://go.dev/dl; the package golang-go of Debian 12 is too old.`,
    );
  }
  mkdirSync(dirname(path), { recursive: true });
  run('go', ['install', module], { GOBIN: dirname(path) });
  writeFileSync(stamp, module);
}

function run(command: string, args: readonly string[], env: Record<string, string> = {}): void {
  const line = [command, ...args].join(' ');
  console.log(line);
  const { status, error } = spawnSync(command, args, { env: { ...process.env, ...env }, stdio: 'inherit' });
  if (error) throw new Error(`cannot run ${command}: ${error.message}`);
  if (status !== 0) throw new Error(`\`${line}\` failed`);
}
