import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Daemon, findPid } from './services/daemon.ts';
import { dataDir, defaultPortBase, portBase, portBaseFile, portsFrom, recordedPortBase } from './services/endpoints.ts';
import { installNats, installPostgres, installS3 } from './services/install.ts';
import { withLock } from './services/lock.ts';
import { natsDaemon, sharedNats, startNats, stopNats, wipeNats } from './services/nats.ts';
import { areFree } from './services/port.ts';
import { postgresDaemon, sharedPostgres, startPostgres, stopPostgres, wipePostgres } from './services/postgres.ts';
import { s3Daemon, sharedS3, startS3, stopS3, wipeS3 } from './services/s3.ts';

const usage = `Usage: pnpm services <verb>

  up         install, start and wait for PostgreSQL, NATS and S3, or for those named: up postgres nats
  down       stop them, keep their data
  wipe       stop them and delete their data
  status     say which are up; exit 3 unless all are
  free-base  print the first free value for WAYMARK_SERVICES_PORT_BASE`;

const starters: Readonly<Record<string, { install: () => void; start: () => Promise<void> }>> = {
  postgres: { install: installPostgres, start: () => startPostgres(sharedPostgres()) },
  nats: { install: installNats, start: () => startNats(sharedNats()) },
  s3: { install: installS3, start: () => startS3(sharedS3()) },
};

async function up(names: readonly string[]): Promise<number> {
  const asked = names.length === 0 ? Object.keys(starters) : names;
  const chosen = asked.map((name) => {
    const starter = starters[name];
    if (!starter) throw new Error(`There is no service '${name}', only ${Object.keys(starters).join(', ')}.`);
    return starter;
  });
  for (const { install } of chosen) install();
  recordPortBase();
  for (const started of await Promise.allSettled(chosen.map(({ start }) => start()))) {
    if (started.status === 'rejected') console.error(message(started.reason));
  }
  return status(asked);
}

async function down(): Promise<number> {
  await Promise.all([stopPostgres(sharedPostgres()), stopNats(sharedNats()), stopS3(sharedS3())]);
  rmSync(portBaseFile, { force: true });
  return 0;
}

async function wipe(): Promise<number> {
  await Promise.all([wipePostgres(sharedPostgres()), wipeNats(sharedNats()), wipeS3(sharedS3())]);
  rmSync(portBaseFile, { force: true });
  return 0;
}

async function status(names: readonly string[]): Promise<number> {
  const daemons = sharedDaemons().filter(([{ name }]) => names.length === 0 || names.includes(name));
  const lines = await Promise.all(daemons.map(([daemon, dir]) => describe(daemon, dir)));
  for (const line of lines) console.log(line.text);
  return lines.every((line) => line.isUp) ? 0 : 3;
}

async function freeBase(): Promise<number> {
  for (let base = defaultPortBase; base <= 30000; base += 1000) {
    if (!(await areFree(Object.values(portsFrom(base))))) continue;
    console.log(base);
    return 0;
  }
  throw new Error(`no port base from ${defaultPortBase} to 30000 is free`);
}

const verbs = new Map<string, (names: readonly string[]) => Promise<number>>([
  ['up', (names) => withLock(() => up(names))],
  ['down', () => withLock(down)],
  ['wipe', () => withLock(wipe)],
  ['status', status],
  ['free-base', freeBase],
]);

/** Each with the folder of its data. */
function sharedDaemons(): [Daemon, string][] {
  const [postgres, nats, s3] = [sharedPostgres(), sharedNats(), sharedS3()];
  return [
    [postgresDaemon(postgres), postgres.dir],
    [natsDaemon(nats), nats.storeDir],
    [s3Daemon(s3), s3.dir],
  ];
}

async function describe(daemon: Daemon, dir: string): Promise<{ isUp: boolean; text: string }> {
  const pid = findPid(daemon);
  const isUp = pid !== undefined && (await daemon.isReady());
  const otherwise = pid === undefined ? 'down' : 'silent';
  const place = dir.startsWith(dataDir) ? dir : `${dir} (its user cannot work in this clone)`;
  const columns = [
    daemon.name.padEnd(8),
    (isUp ? 'up' : otherwise).padEnd(6),
    `127.0.0.1:${daemon.ports[0]}`,
    `pid ${pid ?? '-'}`.padEnd(11),
    place,
  ];
  return { isUp, text: columns.join('  ') };
}

function recordPortBase(): void {
  const base = portBase();
  const recorded = recordedPortBase();
  const running = sharedDaemons().some(([daemon]) => findPid(daemon) !== undefined);
  if (running && recorded !== undefined && Number(recorded) !== base) {
    throw new Error(`The services of this clone use port base ${recorded}; run \`pnpm services down\` to change it.`);
  }
  mkdirSync(dirname(portBaseFile), { recursive: true });
  writeFileSync(portBaseFile, `${base}\n`);
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function main(verb: string, names: readonly string[]): Promise<number> {
  const run = verbs.get(verb);
  if (!run) {
    console.error(usage);
    return 64;
  }
  if (process.platform !== 'linux') throw new Error('Only for Linux. Elsewhere, use tools/services/compose.yaml.');
  return run(names);
}

try {
  process.exitCode = await main(process.argv[2] ?? '', process.argv.slice(3));
} catch (error) {
  console.error(message(error));
  process.exitCode = 1;
}
