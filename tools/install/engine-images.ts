import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mirror } from '../image/sources.ts';
import { runProgram } from '../release/run-program.ts';
import { dataDir } from '../services/endpoints.ts';
import { installNats, installS3, natsServer, versitygw } from '../services/install.ts';
import { installPrometheus } from '../services/prometheus.ts';
import type { Docker } from './docker.ts';

/**
 * Images of PostgreSQL, NATS, the S3 gateway, Prometheus and Caddy that take the same settings as the official ones, for tests on
 * machines that reach no registry. What they cannot show is how the official ones behave otherwise.
 */
export const ENGINES = {
  postgres: 'engine-postgres:test',
  nats: 'engine-nats:test',
  s3: 'engine-s3:test',
  prometheus: 'engine-prometheus:test',
  caddy: 'engine-caddy:test',
} as const;

/** Lets the compose files use them. */
export function engineVariables(referenceOf: (tag: string) => string): Record<string, string> {
  const entries = Object.entries(ENGINES);
  return Object.fromEntries(entries.map(([name, tag]) => [`WAYMARK_${name.toUpperCase()}_IMAGE`, referenceOf(tag)]));
}

const SUITE = 'bookworm';
const PACKAGES = ['postgresql-15', 'wget', 'ca-certificates', 'caddy'];
const BASE = 'engines:test';
const CACHE = join(dataDir, 'docker/engines.tar');

/** Built once: it takes a minute. */
export async function buildEngineImages(docker: Docker): Promise<void> {
  if ((await docker.tryDocker('image', 'inspect', ENGINES.caddy)).code === 0) return;
  installNats();
  installS3();
  makeRoot();
  await docker.docker('import', CACHE, BASE);
  await addProgram(docker, ENGINES.postgres, join(import.meta.dirname, 'engines/postgres.sh'), ['postgres']);
  await addProgram(docker, ENGINES.nats, natsServer.path);
  await addProgram(docker, ENGINES.s3, versitygw.path);
  await addProgram(docker, ENGINES.prometheus, installPrometheus().prometheus);
  await commit(docker, ENGINES.caddy, ['ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config']);
}

function makeRoot(): void {
  if (existsSync(CACHE)) return;
  const left = ['doc', 'man', 'locale'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`);
  const include = `--include=${PACKAGES.join(',')}`;
  runProgram('mmdebstrap', [
    '--quiet',
    '--format=tar',
    '--variant=essential',
    include,
    ...left,
    SUITE,
    `${CACHE}.part`,
    mirror(),
  ]);
  runProgram('mv', [`${CACHE}.part`, CACHE]);
}

/** The program becomes the entry point, by its name on the search path, as in the official image. */
async function addProgram(docker: Docker, name: string, program: string, command: readonly string[] = []) {
  const changes = { ENTRYPOINT: [basename(program)], CMD: command };
  const instructions = Object.entries(changes).map(([field, value]) => `${field} ${JSON.stringify(value)}`);
  await commit(docker, name, instructions, program);
}

/** Makes an image of the base, with instructions as in a Dockerfile. */
async function commit({ docker }: Docker, name: string, instructions: readonly string[], program?: string) {
  const id = await docker('create', BASE, '/bin/true');
  try {
    if (program !== undefined) await docker('cp', program, `${id}:/usr/local/bin/`);
    await docker('commit', ...instructions.flatMap((each) => ['--change', each]), id, name);
  } finally {
    await docker('rm', '--force', id);
  }
}
