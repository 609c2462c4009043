import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { type Db, openDb } from '../../src/platform/db/db.ts';
import { noLog } from '../harness.ts';
import { countEntries, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrgs } from './installation.ts';
import { startLoad } from './load.ts';
import { takeNote } from './notes.ts';
import type { ServerProcess } from './processes.ts';

const KILLS = isFull ? 300 : 4;
const OPEN_MS = isFull ? 60_000 : 4_000;

/** The process whose connection holds the lock of the sequencer. */
async function leads(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks where locktype = 'advisory' and objid = 7201001 and granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return rows.length > 0;
}

it(`loses, doubles and misorders nothing when the sequencer is killed or frozen ${KILLS} times`, async ({
  annotate,
}) => {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 12);
  await site.startApi();
  let worker: ServerProcess = await site.startWorker();
  const load = startLoad({ url: site.url, orgs, callers: 4 });
  const frozen: ServerProcess[] = [];
  for (let time = 0; time < KILLS; time++) {
    await expect.poll(() => leads(site.db), { interval: 20 }).toBe(true);
    // Sometimes in the middle of a pass, sometimes between two.
    await sleep(Math.floor(Math.random() * 120));
    const before = worker;
    if (time % 4 === 3) {
      before.freeze();
      frozen.push(before);
    } else {
      await before.kill();
    }
    worker = await site.startWorker();
    if (frozen.length > 1) {
      const thawed = frozen.shift();
      thawed?.thaw();
      await thawed?.kill();
    }
  }
  for (const each of frozen) {
    each.thaw();
    await each.stop();
  }
  await load.stop();
  await untilProcessed(site.db);
  const unlimited = openDb({ url: site.databaseUrl, poolSize: 1, statementTimeoutMs: 0 }, noLog);
  await sql`analyze flow, journal, ledger`.execute(unlimited);
  expect(await findFaults(unlimited, load.flows)).toEqual([]);
  await unlimited.destroy();
  const { found_late } = await site.db.selectFrom('sequencer').select('found_late').executeTakeFirstOrThrow();
  expect(found_late).toBe(0);
  await annotate(`${load.flows.length} flows in 12 orgs; ${await countEntries(site.db)} entries; ${KILLS} times`);
});

it('sequences others while a transaction that has written stays open', async ({ annotate }) => {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 4);
  await Promise.all([site.startApi(), site.startWorker()]);
  const [first] = orgs;
  const until = performance.now() + OPEN_MS;
  const open = site.db.transaction().execute(async (db) => {
    // Otherwise PostgreSQL ends it after 10 seconds without a statement.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
    await takeNote({ ...site.ctx, db, org: first?.id ?? '' }, 'slow', () => sleep(until - performance.now()));
  });
  const load = startLoad({ url: site.url, orgs, callers: 3 });
  await sleep(OPEN_MS / 2);
  const { rows } = await sql<{ waiting: number; sequenced: number }>`
    select (select count(*) from journal) - (select count(*) from ledger) as waiting,
      (select count(*) from ledger) as sequenced`.execute(site.db);
  await open;
  await load.stop();
  await untilProcessed(site.db);
  expect(rows[0]?.sequenced).toBeGreaterThan(load.flows.length / 4);
  expect(await findFaults(site.db, load.flows)).toEqual([]);
  await annotate(`${rows[0]?.sequenced} entries sequenced meanwhile, ${rows[0]?.waiting} waited at that moment`);
});
