import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import type { Ctx } from '../../src/platform/ctx.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { countEntries, countSequenced, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrgs, type Org } from './installation.ts';
import { startLoad } from './load.ts';
import { takeNote } from './notes.ts';
import type { ServerProcess } from './processes.ts';

const HALF_MS = isFull ? 60_000 : 4_000;

it('keeps the order of 40 orgs when two workers share the lanes and the leading one is killed', async ({
  annotate,
}) => {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 40);
  const [, ...workers] = await Promise.all([site.startApi(), site.startWorker(), site.startWorker()]);
  await untilShared(site.db);
  const load = startLoad({ url: site.url, orgs, callers: 6 });
  const stopping = new AbortController();
  const notes = [1, 2, 3].map(() => takeSlowNotes(site.ctx, orgs, stopping.signal));

  await sleep(HALF_MS);
  const before = await countHolders(site.db);
  const leader = leaderOf(workers);
  await leader.kill();
  const another = await site.startWorker();
  await sleep(HALF_MS);
  stopping.abort();
  await Promise.all([load.stop(), ...notes]);
  await untilProcessed(site.db);
  await untilShared(site.db);

  expect(before).toBe(2);
  expect(await findFaults(site.db, load.flows)).toEqual([]);
  const survivors = workers.filter((worker) => worker !== leader);
  expect(leadersAmong([...survivors, another])).toHaveLength(1);
  await annotate(`${load.flows.length} flows in 40 orgs; ${await countEntries(site.db)} entries`);
});

it('goes on without the leading worker when it hangs, and keeps the order when it comes back', async ({ annotate }) => {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 8);
  const [, ...workers] = await Promise.all([site.startApi(), site.startWorker(), site.startWorker()]);
  await untilShared(site.db);
  const load = startLoad({ url: site.url, orgs, callers: 4 });
  await sleep(1_000);

  const leader = leaderOf(workers);
  leader.freeze();
  const frozen = performance.now();
  await expect.poll(() => leadersAmong(workers), { timeout: 180_000, interval: 100 }).toHaveLength(2);
  await expect.poll(() => countHolders(site.db), { timeout: 180_000, interval: 100 }).toBe(1);
  const entries = await countEntries(site.db);
  await expect.poll(() => countSequenced(site.db), { interval: 100 }).toBeGreaterThan(entries);
  const wentOn = Math.round(performance.now() - frozen);
  leader.thaw();
  await untilShared(site.db);
  await load.stop();
  await untilProcessed(site.db);

  expect(await findFaults(site.db, load.flows)).toEqual([]);
  for (const worker of workers) expect(worker.isRunning()).toBe(true);
  await annotate(`${load.flows.length} flows; ${await countEntries(site.db)} entries; went on after ${wentOn} ms`);
});

/** Transactions that are overtaken by younger ones before they commit. */
async function takeSlowNotes(ctx: Ctx, orgs: readonly Org[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const org = orgs[randomInt(orgs.length)]?.id ?? '';
    await takeNote({ ...ctx, org }, 'slow', () => sleep(randomInt(200)));
  }
}

/** Waits until two live workers hold all lanes of all processors between them. */
async function untilShared(db: Db): Promise<void> {
  await expect.poll(() => countHolders(db), { timeout: 180_000, interval: 200 }).toBe(2);
}

/** How many workers hold lanes now; 0 while a lane is without a worker. */
async function countHolders(db: Db): Promise<number> {
  const { rows } = await sql<{ holders: number }>`
    select case when bool_and(worker.alive_until > now()) is true then count(distinct holder) else 0 end as holders
    from processor_position left join worker on worker.id = holder`.execute(db);
  return rows[0]?.holders ?? 0;
}

function leaderOf(workers: readonly ServerProcess[]): ServerProcess {
  const [leader, ...others] = leadersAmong(workers);
  if (!leader || others.length > 0) throw new Error(`${others.length + 1} sequencers lead`);
  return leader;
}

/** Workers that lead or have led. */
function leadersAmong(workers: readonly ServerProcess[]): ServerProcess[] {
  return workers.filter((worker) => worker.log().includes('sequencer leads'));
}
