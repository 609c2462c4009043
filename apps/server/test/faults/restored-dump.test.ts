import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { postgresProgram } from '../../../../tools/services/install.ts';
import { type Db, openDb } from '../../src/platform/db/db.ts';
import { NEEDS_SEQUENCER } from '../../src/platform/journal/life-check.ts';
import { SERVER_ROLE } from '../databases.ts';
import { noLog } from '../harness.ts';
import { findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg } from './installation.ts';
import { givenMovable, lifeOf, put } from './movable.ts';
import { givenEmptyPostgres } from './private-services.ts';
import { runCommand } from './processes.ts';
import { spendTransactionIds } from './transaction-ids.ts';

it('goes on by itself after a dump was restored into a cluster with lower transaction ids', async () => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  await spendTransactionIds(site.db);
  const { env, proxy, worker, untilRefused, untilReady } = await givenMovable(site);
  expect(await put(site.url, org, 'before')).toMatchObject({ status: 201 });
  await untilProcessed(site.db);
  const published = await lifeOf(site.db);
  worker.freeze();
  expect(await put(site.url, org, 'waiting')).toMatchObject({ status: 201 });
  await givenDeadLetter(site.db, org.id);
  const restored = await restoreElsewhere(site.databaseUrl);

  proxy.redirect(restored.address);

  // Nobody has recorded the new cluster, because the worker is frozen.
  await untilRefused(org);
  const ready = await fetch(`${site.url}/ready`);
  expect([ready.status, await ready.text()]).toEqual([503, NEEDS_SEQUENCER]);
  const read = await fetch(`${site.url}/api/v2/flows/acme`, { headers: { authorization: `Bearer ${org.key}` } });
  expect(read.status).toBe(200);
  const diagnosed = await runCommand(['doctor'], env);
  expect(diagnosed.code).toBe(1);
  expect(diagnosed.stdout).toContain(
    'failed  cluster         The database was restored or moved, and takes no writes yet',
  );
  expect(diagnosed.stdout).toContain('fix             start a worker: it records the new cluster within a second');

  worker.thaw();
  await untilReady();
  expect(await put(site.url, org, 'after')).toMatchObject({ status: 201 });
  await untilProcessed(restored.db);
  expect(
    await findFaults(
      restored.db,
      KNOWN.map((name) => ({ org_id: org.id, name, revision: 1 })),
    ),
  ).toEqual(['dead letter of flow-activity: by the test']);
  expect(await lifeOf(restored.db)).toBe(published + 1);
  expect(await lettersWithEntry(restored.db)).toBe(1);
});

const KNOWN = ['before', 'waiting', 'after'];

async function givenDeadLetter(db: Db, org: string): Promise<void> {
  await sql`
    insert into dead_letter (org_id, processor, seq, recorded_at, type, error, failed_at)
    select org_id, 'flow-activity', seq, recorded_at, type, 'by the test', now() from journal
    where org_id = ${org} order by seq limit 1`.execute(db);
}

async function lettersWithEntry(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ letters: number }>`
    select count(*) as letters from dead_letter join journal using (org_id, seq)`.execute(db);
  return rows[0]?.letters;
}

/** Dumps a database and loads it into a separate cluster, under the same name. */
async function restoreElsewhere(url: string): Promise<{ db: Db; address: { host: string; port: number } }> {
  const { cluster } = await givenEmptyPostgres();
  const directory = await mkdtemp(join(tmpdir(), 'waymark-dump-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const dump = join(directory, 'dump');
  const there = new URL(url);
  there.port = String(cluster.port);
  const maintenance = new URL('/postgres', there);
  run('pg_dump', ['-Fc', '-f', dump, url]);
  run('psql', [maintenance.href, '-Xqc', `create role ${SERVER_ROLE} login`]);
  run('psql', [maintenance.href, '-Xqc', `create database ${there.pathname.slice(1)}`]);
  run('pg_restore', ['-d', there.href, dump]);
  const db = openDb({ url: there.href, poolSize: 4, statementTimeoutMs: 30_000 }, noLog);
  onTestFinished(() => db.destroy());
  return { db, address: { host: there.hostname, port: cluster.port } };
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(postgresProgram(program), args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}
