import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { Replaced, sequenceAll } from '../../src/platform/journal/pass.ts';
import { countEntries, countSequenced, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrgs } from './installation.ts';
import { type Load, startLoad } from './load.ts';
import { startServer } from './processes.ts';
import { withShadows } from './shadowed.ts';

const TIMES = isFull ? 50 : 3;
const GATE = 7;

/** In the middle of its two statements, a pass waits for a gate. */
const gates = {
  // After the snapshot was taken, before the fence.
  read: sql`
    create function gated.pg_current_snapshot() returns pg_snapshot stable language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${sql.lit(GATE)});
      return pg_catalog.pg_current_snapshot();
    end
    $$`,
  // After the fence, before the entries.
  store: sql`
    create function gated.now() returns timestamptz stable language plpgsql as $$
    begin
      if current_query() like '%insert into ledger (%' then
        perform pg_advisory_xact_lock_shared(${sql.lit(GATE)});
      end if;
      return pg_catalog.now();
    end
    $$`,
};

/** An installation under load, whose worker makes passes through a gate. */
async function givenGate(at: keyof typeof gates) {
  const site = await givenInstallation();
  const orgs = await givenOrgs(site.ctx, 8);
  await sql`create schema gated`.execute(site.db);
  await sql`grant usage on schema gated to public`.execute(site.db);
  await gates[at].execute(site.db);
  await site.startApi();
  const env = { ...site.env, WAYMARK_DATABASE_URL: withShadows(site.env['WAYMARK_DATABASE_URL'] ?? '', 'gated') };
  const worker = await startServer(['worker'], env, (worker) => worker.log().includes('sequencer leads'));
  const load = startLoad({ url: site.url, orgs, callers: 4 });
  return { site, worker, load };
}

/** The leader waits in the middle of a pass until the gate is opened. */
async function closeGate(db: Db): Promise<() => Promise<void>> {
  const [closed, opening] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const opened = db.transaction().execute(async (db) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
    await sql`select pg_advisory_xact_lock(${GATE})`.execute(db);
    closed.resolve();
    await opening.promise;
  });
  onTestFinished(() => opening.resolve());
  await closed.promise;
  await expect.poll(() => frozenLeader(db), { interval: 10 }).toBeDefined();
  return () => {
    opening.resolve();
    return opened;
  };
}

async function frozenLeader(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return rows[0]?.pid;
}

/** Until a second sequencer waits for the fence that the leader has moved and not committed. */
async function untilBlockedBy(db: Db, leader: number | undefined): Promise<void> {
  const countBlocked = async () => {
    const { rows } = await sql<{ blocked: number }>`
      select count(*) as blocked from pg_stat_activity where ${leader ?? 0} = any(pg_blocking_pids(pid))`.execute(db);
    return rows[0]?.blocked;
  };
  await expect.poll(countBlocked, { interval: 10 }).toBe(1);
}

async function expectNoFaults(db: Db, load: Load): Promise<void> {
  await load.stop();
  await untilProcessed(db);
  expect(await findFaults(db, load.flows)).toEqual([]);
  const { found_late } = await db.selectFrom('sequencer').select('found_late').executeTakeFirstOrThrow();
  expect(found_late).toBe(0);
}

it(`loses and doubles nothing when the leader freezes after its read ${TIMES} times, and another passes its lock`, async ({
  annotate,
}) => {
  const { site, worker, load } = await givenGate('read');
  let taken = 0;
  for (let time = 1; time <= TIMES; time++) {
    const replaced = startsAgain(worker.log());
    const openGate = await closeGate(site.db);
    const before = await countSequenced(site.db);
    await expect.poll(() => countEntries(site.db), { interval: 10 }).toBeGreaterThan(before + 20);
    // It ignores the lock that the frozen leader holds.
    await sequenceAll(site.db);
    taken += (await countSequenced(site.db)) - before;
    await openGate();
    await expect.poll(() => startsAgain(worker.log()), { interval: 10 }).toBeGreaterThan(replaced);
  }
  await expectNoFaults(site.db, load);
  expect(taken).toBeGreaterThan(20 * TIMES);
  await annotate(
    `${load.flows.length} flows, ${await countEntries(site.db)} entries, ${taken} of them by a second sequencer`,
  );
});

it.for(['goes on', 'is ended'] as const)(
  `loses and doubles nothing when the leader freezes before its commit ${TIMES} times, and then %s, while another passes its lock`,
  async (then, { annotate }) => {
    const { site, worker, load } = await givenGate('store');
    const ends = { committed: 0, replaced: 0 };
    for (let time = 1; time <= TIMES; time++) {
      const openGate = await closeGate(site.db);
      const leader = await frozenLeader(site.db);
      const second = sequenceAll(site.db).then(
        () => 'committed' as const,
        (error: unknown) => {
          if (error instanceof Replaced) return 'replaced' as const;
          throw error;
        },
      );
      await untilBlockedBy(site.db, leader);
      const stopped = startsAgain(worker.log());
      if (then === 'is ended') await sql`select pg_terminate_backend(${leader}::integer)`.execute(site.db);
      if (then === 'goes on') await openGate();
      ends[await second] += 1;
      if (then === 'is ended') {
        await openGate();
        await expect.poll(() => startsAgain(worker.log()), { interval: 10 }).toBeGreaterThan(stopped);
      }
      await sleep(100);
    }
    await expectNoFaults(site.db, load);
    expect(ends).toEqual(then === 'goes on' ? { committed: 0, replaced: TIMES } : { committed: TIMES, replaced: 0 });
    await annotate(
      `${load.flows.length} flows, ${await countEntries(site.db)} entries; the second ${JSON.stringify(ends)}`,
    );
  },
);

function startsAgain(messages: readonly string[]): number {
  return messages.filter((message) => message === 'sequencer stopped, will start again').length;
}
