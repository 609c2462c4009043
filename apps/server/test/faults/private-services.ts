import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { dataDir } from '../../../../tools/services/endpoints.ts';
import { type NatsServer, startNats, wipeNats } from '../../../../tools/services/nats.ts';
import { findFreePort } from '../../../../tools/services/port.ts';
import {
  clusterDir,
  copyPostgres,
  type PostgresCluster,
  startPostgres,
  wipePostgres,
} from '../../../../tools/services/postgres.ts';
import { openDb } from '../../src/platform/db/db.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { noLog } from '../harness.ts';
import type { AtEnd } from './processes.ts';

let natsServers = 0;
let clusters = 0;

/** A separate NATS server, to be stopped and wiped. */
export async function givenNats(): Promise<{ server: NatsServer; url: string }> {
  const name = `faults-nats-${process.pid}-${++natsServers}`;
  const [port, monitorPort] = [await findFreePort(), await findFreePort()];
  const server = { name, port, monitorPort, storeDir: join(dataDir, name) };
  onTestFinished(() => wipeNats(server));
  await startNats({ ...server, clean: true });
  return { server, url: `nats://127.0.0.1:${port}` };
}

interface PrivatePostgres {
  readonly cluster: PostgresCluster;
  readonly url: string;
}

/** A separate PostgreSQL cluster, with an empty database. */
export async function givenEmptyPostgres(
  atEnd: AtEnd = onTestFinished,
  settings: PostgresCluster['settings'] = {},
): Promise<PrivatePostgres> {
  const postgres = await nextPostgres(atEnd, settings);
  await startPostgres(postgres.cluster);
  return postgres;
}

/** A copy of a running cluster. It is not started yet; as a standby or to recover, its settings say. */
export async function givenCopyOf(
  source: PostgresCluster,
  signal: 'standby' | 'recovery',
  settings: PostgresCluster['settings'],
): Promise<PrivatePostgres> {
  const copy = await nextPostgres(onTestFinished, settings);
  await copyPostgres(source, copy.cluster, signal);
  return copy;
}

async function nextPostgres(atEnd: AtEnd, settings: PostgresCluster['settings'] = {}): Promise<PrivatePostgres> {
  const name = `faults-pg-${process.pid}-${++clusters}`;
  const cluster = { name, port: await findFreePort(), dir: clusterDir(name), settings };
  atEnd(() => wipePostgres(cluster));
  return { cluster, url: `postgres://waymark@127.0.0.1:${cluster.port}/waymark` };
}

/** A separate, migrated PostgreSQL cluster, to be stopped. */
export async function givenPostgres(atEnd?: AtEnd, settings?: PostgresCluster['settings']): Promise<PrivatePostgres> {
  const { cluster, url } = await givenEmptyPostgres(atEnd, settings);
  const db = openDb({ url, poolSize: 2, statementTimeoutMs: 0 }, noLog);
  await migrate(db);
  await db.destroy();
  return { cluster, url };
}
