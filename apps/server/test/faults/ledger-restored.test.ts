import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../../../../tools/services/postgres.ts';
import { isFull } from '../../../../tools/test-size.ts';
import { type Db, openDb } from '../../src/platform/db/db.ts';
import { findLedgerFaults } from '../given/ledger-faults.ts';
import { noLog } from '../harness.ts';
import { untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrgs, readiness } from './installation.ts';
import { startLoad } from './load.ts';
import { givenMovable } from './movable.ts';
import { givenCopyOf, givenPostgres } from './private-services.ts';
import { runCommand } from './processes.ts';
import { countCheckpoints, objectsOf, signingEnv, stoppedBecause, untilSigned } from './signed.ts';

const LOAD_MS = isFull ? 20_000 : 1_500;

it('stops signing after a restore to an earlier point under traffic, until an operator begins an epoch', async ({
  annotate,
}) => {
  const first = await givenPostgres();
  const site = await givenInstallation({ databaseUrl: first.url, env: await signingEnv() });
  const orgs = await givenOrgs(site.ctx, 4);
  const { env, proxy, untilReady } = await givenMovable(site);
  const load = startLoad({ url: site.url, orgs, callers: 3 });
  await untilCheckpoint(site.db, 2);
  const copy = await givenCopyOf(first.cluster, 'recovery', { restore_command: 'false' });
  await sleep(LOAD_MS);
  const lost = await countCheckpoints(site.db);
  await untilCheckpoint(site.db, lost + 2);

  await startPostgres(copy.cluster);
  const db = openDb({ url: copy.url, poolSize: 4, statementTimeoutMs: 30_000 }, noLog);
  onTestFinished(() => db.destroy());
  await expect.poll(() => isFollowing(db)).toBe(false);
  expect(await countCheckpoints(db)).toBeLessThan(lost + 2);
  proxy.redirect({ host: '127.0.0.1', port: copy.cluster.port });
  await untilReady();

  await expect
    .poll(() => stoppedBecause(db), { timeout: 60_000 })
    .toMatch(/PostgreSQL was restored to an earlier point$/);
  // A lost checkpoint of a tree that was restored is not a fork: it was taken over from the object store.
  const signed = await countCheckpoints(db);
  const acknowledged = load.flows.length;
  await expect.poll(() => load.flows.length, { timeout: 60_000 }).toBeGreaterThan(acknowledged + 5);
  expect(await readiness(site.url)).toBe('200');
  expect(await countCheckpoints(db)).toBe(signed);

  const command = await runCommand(['ledger', 'epoch', '--reason', 'Restored after a disk failure'], env);
  expect(command).toMatchObject({ code: 0, stderr: '' });
  await expect.poll(() => countCheckpoints(db, 2), { timeout: 60_000 }).toBeGreaterThan(0);
  await load.stop();
  await untilProcessed(db);
  await untilSigned(db);
  expect(await stoppedBecause(db)).toBeNull();
  expect(await findLedgerFaults(db, objectsOf(site), new Set([1]))).toEqual([]);
  expect((await runCommand(['ledger', 'epoch', '--reason', 'Again'], env)).code).toBe(1);
  await annotate(`${lost + 2} checkpoints signed, ${signed} of them restored; ${await countCheckpoints(db, 2)} later`);
});

async function untilCheckpoint(db: Db, number: number): Promise<void> {
  await expect.poll(() => countCheckpoints(db), { timeout: 60_000 }).toBeGreaterThanOrEqual(number);
}

async function isFollowing(db: Db): Promise<boolean | undefined> {
  const { rows } = await sql<{ is_following: boolean }>`select pg_is_in_recovery() as is_following`.execute(db);
  return rows[0]?.is_following;
}
