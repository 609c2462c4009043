import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { dataDir } from './services/endpoints.ts';
import { postgresProgram } from './services/install.ts';
import { natsDaemon, startNats, stopNats, wipeNats } from './services/nats.ts';
import { findFreePort } from './services/port.ts';
import { clusterDir, startPostgres, stopPostgres, wipePostgres } from './services/postgres.ts';

const services = (...words: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'services.ts'), ...words], { encoding: 'utf8' });

it('says that the shared services are up', () => {
  const { status, stdout } = services('status');

  expect(stdout).toMatch(/^postgres +up .*\nnats +up .*\ns3 +up .*\n$/);
  expect(status).toBe(0);
});

it('reports only the named services', () => {
  expect(services('status', 'nats', 'postgres')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^postgres +up .*\nnats +up .*\n$/),
  });
  expect(services('up', 'kafka')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("There is no service 'kafka', only postgres, nats, s3."),
  });
});

it('explains itself when it does not know the verb', () => {
  const { status, stderr } = services('restart');

  expect(stderr).toContain('Usage: pnpm services');
  expect(status).toBe(64);
});

it('brings a crashed cluster back with what was committed', async () => {
  const name = `postgres-test-${process.pid}`;
  const cluster = { name, port: await findFreePort(), dir: clusterDir(name) };
  const sql = (statement: string) => {
    const address = ['-h', '127.0.0.1', '-p', String(cluster.port), '-U', 'waymark', '-d', 'waymark'];
    return spawnSync(postgresProgram('psql'), [...address, '-XAtqc', statement], { encoding: 'utf8' });
  };
  onTestFinished(() => wipePostgres(cluster));
  await startPostgres(cluster);
  sql('create table kept (n int); insert into kept values (7)');

  await stopPostgres(cluster, 'immediate');
  expect(sql('select n from kept').status).not.toBe(0);
  await startPostgres(cluster);

  expect(sql('select n from kept').stdout).toBe('7\n');
});

it('restarts a killed NATS, with its disk or without', async () => {
  const name = `nats-test-${process.pid}`;
  const ports = { port: await findFreePort(), monitorPort: await findFreePort() };
  const server = { name, ...ports, storeDir: join(dataDir, name) };
  const stored = join(server.storeDir, 'stored');
  onTestFinished(() => wipeNats(server));
  await startNats(server);
  writeFileSync(stored, '');

  await stopNats(server, 'SIGKILL');
  expect(await natsDaemon(server).isReady()).toBe(false);
  await startNats(server);
  expect(existsSync(stored)).toBe(true);

  await startNats({ ...server, clean: true });
  expect(existsSync(stored)).toBe(false);
});
