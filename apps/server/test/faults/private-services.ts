import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { dataDir } from '../../../../tools/services/endpoints.ts';
import { type NatsServer, startNats, wipeNats } from '../../../../tools/services/nats.ts';
import { findFreePort } from '../../../../tools/services/port.ts';
import { clusterDir, type PostgresCluster, startPostgres, wipePostgres } from '../../../../tools/services/postgres.ts';
import { openDb } from '../../src/platform/db/db.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { silent } from '../harness.ts';

let natsServers = 0;

/** A NATS server that nobody else uses, to be stopped and wiped. */
export async function givenNats(): Promise<{ server: NatsServer; url: string }> {
  const name = `faults-nats-${process.pid}-${++natsServers}`;
  const [port, monitorPort] = [await findFreePort(), await findFreePort()];
  const server = { name, port, monitorPort, storeDir: join(dataDir, name) };
  onTestFinished(() => wipeNats(server));
  await startNats({ ...server, clean: true });
  return { server, url: `nats://127.0.0.1:${port}` };
}

/** A migrated PostgreSQL cluster that nobody else uses, to be stopped. */
export async function givenPostgres(): Promise<{ cluster: PostgresCluster; url: string }> {
  const name = `faults-pg-${process.pid}`;
  const cluster = { name, port: await findFreePort(), dir: clusterDir(name) };
  onTestFinished(() => wipePostgres(cluster));
  await startPostgres(cluster);
  const url = `postgres://waymark@127.0.0.1:${cluster.port}/waymark`;
  const db = openDb({ url, poolSize: 2, statementTimeoutMs: 0 }, silent);
  await migrate(db);
  await db.destroy();
  return { cluster, url };
}
