import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { unpackDebianFile } from '../image/sources.ts';
import { dataDir } from '../services/endpoints.ts';
import { installPackages } from './debian-packages.ts';

/** Own storage and an own socket, so that a test never meets the images and volumes of somebody who uses Docker here. */
const HOME = join(dataDir, 'docker');
const SOCKET = join(HOME, 'docker.sock');
const CONFIG = join(HOME, 'config');
const COMPOSE = join(CONFIG, 'cli-plugins/docker-compose');

/** Debian 12 has Compose 1, which nobody uses any more. */
const COMPOSE_PACKAGE = {
  path: 'pool/main/d/docker-compose/docker-compose_2.26.1-4_amd64.deb',
  sha256: '47681197cb2b1ab88206b42a1a92fc75f50d9530a6322d03494a473eed0408ea',
};

/** No limit is asked for that root lacks on some machines. */
const SETTINGS = {
  'data-root': join(HOME, 'data'),
  'exec-root': join(HOME, 'exec'),
  pidfile: join(HOME, 'docker.pid'),
  hosts: [`unix://${SOCKET}`],
  'exec-opts': ['native.cgroupdriver=cgroupfs'],
  'default-ulimits': { nofile: { Name: 'nofile', Soft: 20_000, Hard: 20_000 } },
};

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A Docker of our own, with Compose. */
export interface Docker {
  /** Lets `docker` find this one. */
  readonly env: Readonly<Record<string, string>>;
  /** Rejects unless it succeeds. */
  docker(...args: string[]): Promise<string>;
  /** For what may fail. */
  tryDocker(...args: string[]): Promise<Ran>;
  /** Loads an image of an OCI layout. */
  load(layout: string, name: string, tag: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startDocker(): Promise<Docker> {
  await install();
  const config = join(HOME, 'daemon.json');
  writeFileSync(config, JSON.stringify(SETTINGS));
  const log = openSync(join(HOME, 'dockerd.log'), 'w');
  const daemon = spawn('dockerd', ['--config-file', config], { stdio: ['ignore', log, log] });
  const env = { DOCKER_HOST: `unix://${SOCKET}`, DOCKER_CONFIG: CONFIG };
  const tryDocker = (...args: string[]) => run('docker', args, { ...process.env, ...env });
  const docker = async (...args: string[]) => succeeded('docker', args, await tryDocker(...args));
  await untilUp(daemon, tryDocker);
  return {
    env,
    docker,
    tryDocker,
    async load(layout, name, tag) {
      const to = ['--dest-daemon-host', `unix://${SOCKET}`, `docker-daemon:${tag}`];
      const copy = ['copy', '--quiet', '--override-arch', 'amd64', `oci:${layout}:${name}`, ...to];
      succeeded('skopeo', copy, await run('skopeo', copy, process.env));
    },
    async stop() {
      daemon.kill('SIGTERM');
      await new Promise((resolve) => (daemon.exitCode === null ? daemon.once('exit', resolve) : resolve(null)));
    },
  };
}

async function untilUp(daemon: ChildProcess, tryDocker: Docker['tryDocker']): Promise<void> {
  for (let waited = 0; waited < 120; waited++) {
    if ((await tryDocker('info')).code === 0) return;
    if (daemon.exitCode !== null) break;
    await sleep(500);
  }
  daemon.kill();
  throw new Error(`Docker does not start: its log is ${join(HOME, 'dockerd.log')}`);
}

async function install(): Promise<void> {
  mkdirSync(HOME, { recursive: true });
  installPackages('docker.io', 'containerd', 'skopeo', 'mmdebstrap');
  if (existsSync(COMPOSE)) return;
  mkdirSync(dirname(COMPOSE), { recursive: true });
  const { path, sha256 } = COMPOSE_PACKAGE;
  const unpacked = await unpackDebianFile(path, sha256, 'tools/install/docker.ts');
  copyFileSync(join(unpacked, 'usr/libexec/docker/cli-plugins/docker-compose'), COMPOSE);
  chmodSync(COMPOSE, 0o755);
}

async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out: out.trim(), err: err.trim() };
}

function succeeded(program: string, args: readonly string[], { code, out, err }: Ran): string {
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${err || out}`);
  return out;
}
