import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { postgresProgram } from '../../../../tools/services/install.ts';
import { findFreePort } from '../../../../tools/services/port.ts';
import { putFlow as putFlowDirectly } from '../../src/features/flows/flow.service.ts';
import { systemCtx } from '../../src/platform/ctx.ts';
import { type Db, openDb } from '../../src/platform/db/db.ts';
import { NEEDS_AFTER_RESTORE } from '../../src/platform/journal/restore-check.ts';
import { SERVER_ROLE } from '../databases.ts';
import { noLog } from '../harness.ts';
import { untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg, readiness } from './installation.ts';
import { putFlow } from './load.ts';
import { givenProxyTo } from './lossy-proxy.ts';
import { givenEmptyPostgres } from './private-services.ts';
import { runCommand, startServer } from './processes.ts';

const PATIENCE_MS = 180_000;

it('refuses writes to a restored dump until after-restore has run, and then processes all of them once', async () => {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  await spendTransactionIds(site.db);
  const target = new URL(site.env['WAYMARK_DATABASE_URL'] ?? '');
  const proxy = await givenProxyTo({ host: target.hostname, port: Number(target.port) });
  target.port = String(proxy.port);
  const metricsPort = await findFreePort();
  const env = { ...site.env, WAYMARK_DATABASE_URL: target.href };
  const withMetrics = { ...env, WAYMARK_METRICS_PORT: String(metricsPort) };
  await startServer(['api'], withMetrics, async () => (await readiness(site.url)) === '200');
  const worker = await startServer(['worker'], env, (worker) => worker.log().includes('worker runs'));
  const put = async (name: string) => {
    const answer = await putFlow(site.url, org, { name });
    return { status: answer.status, body: (await answer.json()) as unknown };
  };
  expect(await put('before')).toMatchObject({ status: 201 });
  await untilProcessed(site.db);
  worker.freeze();
  expect(await put('waiting')).toMatchObject({ status: 201 });
  await givenDeadLetter(site.db, org.id);
  const restored = await restoreElsewhere(site.databaseUrl);
  const ctx = { ...systemCtx(restored.db, '', 'faults', noLog), org: org.id };

  proxy.redirect(restored.address);
  worker.thaw();

  await expect
    .poll(() => put('refused'), { timeout: PATIENCE_MS })
    .toEqual({
      status: 503,
      body: { message: NEEDS_AFTER_RESTORE, request_id: expect.any(String) },
    });
  const ready = await fetch(`${site.url}/ready`);
  expect([ready.status, await ready.text()]).toEqual([503, NEEDS_AFTER_RESTORE]);
  expect(await metric(metricsPort)).toBe('journal_ahead_of_cluster 1');
  const read = await fetch(`${site.url}/api/v2/flows/acme`, { headers: { authorization: `Bearer ${org.key}` } });
  expect(read.status).toBe(200);
  const late = await startServer(['worker'], env, (worker) => worker.log().includes(NEEDS_AFTER_RESTORE));
  await expect.poll(() => worker.log(), { timeout: PATIENCE_MS }).toContain(NEEDS_AFTER_RESTORE);
  expect(late.log()).not.toContain('worker runs');
  await putFlowDirectly(ctx, { name: 'early' });

  const diagnosed = await runCommand(['doctor'], env);
  expect(diagnosed.code).toBe(1);
  expect(diagnosed.stdout).toContain(
    'failed  restore         A dump was restored, and new journal entries are not processed',
  );
  expect(diagnosed.stdout).toContain('fix             run `waymark-server after-restore`');

  const renumbered = await runCommand(['after-restore'], env);
  expect(renumbered).toMatchObject({ code: 0, stderr: '' });
  expect(renumbered.stdout).toMatch(/^Renumbered \d+ journal entries, 1 of them written after the restore\.\n/);
  expect(await runCommand(['after-restore'], env)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'after-restore is not needed: this PostgreSQL cluster is past every entry of the journal\n',
  });

  await expect.poll(() => readiness(site.url), { timeout: PATIENCE_MS }).toBe('200');
  expect(await metric(metricsPort)).toBe('journal_ahead_of_cluster 0');
  expect(await put('after')).toMatchObject({ status: 201 });
  await expect.poll(() => late.log(), { timeout: PATIENCE_MS }).toContain('worker runs');
  await untilProcessed(restored.db);
  expect(await fedFlows(restored.db)).toEqual(['before', 'waiting', 'early', 'after']);
  expect(await lettersWithEntry(restored.db)).toBe(1);
});

async function metric(port: number): Promise<string | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return text.split('\n').find((line) => line.startsWith('journal_ahead_of_cluster'));
}

async function givenDeadLetter(db: Db, org: string): Promise<void> {
  await sql`
    insert into dead_letter (org_id, processor, xid, seq, recorded_at, type, error, failed_at)
    select org_id, 'feed', xid, seq, recorded_at, type, 'by the test', now() from journal
    where org_id = ${org} order by xid, seq limit 1`.execute(db);
}

async function lettersWithEntry(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ letters: number }>`
    select count(*) as letters from dead_letter join journal using (org_id, xid, seq)`.execute(db);
  return rows[0]?.letters;
}

/** Puts the dump ahead of any new cluster, however young its source is. */
async function spendTransactionIds(db: Db): Promise<void> {
  await sql`
    do $$ begin
      for i in 1 .. 3000 loop
        perform pg_current_xact_id();
        commit;
      end loop;
    end $$`.execute(db);
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

async function fedFlows(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select flow.name from feed_event as event
    join flow on flow.org_id = event.org_id and flow.id = event.subject_id
    order by event.position`.execute(db);
  return rows.map(({ name }) => name);
}
