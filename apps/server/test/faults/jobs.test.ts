import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { startPostgres, stopPostgres } from '../../../../tools/services/postgres.ts';
import { type Db, openDb } from '../../src/platform/db/db.ts';
import { runTasks } from '../../src/platform/jobs/run-tasks.ts';
import { systemClock } from '../../src/platform/time.ts';
import { holdRows } from '../given/held-rows.ts';
import { countHeldUp } from '../given/held-up.ts';
import { noLog } from '../harness.ts';
import { givenInstallation } from './installation.ts';
import { givenPostgres } from './private-services.ts';

/** As an operator does it who wants a task to run now. */
async function makeDue(db: Db, name: string): Promise<void> {
  const isScheduled = async () => {
    const task = db.updateTable('scheduled_task').set({ due_at: sql`now()` }).where('name', '=', name);
    return (await task.executeTakeFirst()).numUpdatedRows;
  };
  await expect.poll(isScheduled).toBe(1n);
}

function rowOf(db: Db, name: string) {
  return db
    .selectFrom('scheduled_task')
    .select(['holder', 'ended_at', 'failures', 'last_error'])
    .where('name', '=', name)
    .executeTakeFirst();
}

it.each([
  ['did its work', () => undefined, { failures: 0, last_error: null }],
  [
    'failed',
    () => {
      throw new Error('no luck');
    },
    { failures: 1, last_error: 'no luck' },
  ],
])('records that a scheduled task %s though PostgreSQL was away when it ended', async (_, outcome, recorded) => {
  const { cluster, url } = await givenPostgres();
  const db = openDb({ url, poolSize: 2, statementTimeoutMs: 30_000 }, noLog);
  onTestFinished(() => db.destroy());
  const begun = Promise.withResolvers<void>();
  const away = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  let runs = 0;
  const run = async () => {
    runs += 1;
    if (runs > 1) return over.promise;
    begun.resolve();
    await away.promise;
    outcome();
  };
  const stopping = new AbortController();
  const tasks = [{ name: 'slow', cron: '0 0 1 1 *', run }];
  const running = runTasks({ db, tasks, log: noLog, now: systemClock }, stopping.signal, 100);
  onTestFinished(() => {
    stopping.abort();
    over.resolve();
    return running;
  });
  await makeDue(db, 'slow');
  await begun.promise;

  await stopPostgres(cluster);
  away.resolve();
  // Long enough for it to be told to a database that is not there.
  await sleep(1_000);
  await startPostgres(cluster);

  const ended = async () => rowOf(db, 'slow').catch(() => undefined);
  await expect
    .poll(ended, { timeout: 180_000, interval: 200 })
    .toMatchObject({ ended_at: expect.any(Date), ...recorded });
});

it.each(['kill', 'freeze'] as const)('runs a task elsewhere after a %s of the worker that runs it', async (fault) => {
  const name = 'prune-idempotent-replies';
  const site = await givenInstallation();
  const worker = await site.startWorker();
  const letGo = await holdRows(site.db, sql`lock table idempotent_reply`);
  await makeDue(site.db, name);
  await expect.poll(() => countHeldUp(site.db)).toBe(1);
  const before = await rowOf(site.db, name);
  expect(before).toMatchObject({ holder: expect.any(String) });

  await worker[fault]();
  await letGo();
  await site.startWorker();
  // As a minute later.
  await site.db.updateTable('scheduled_task').set({ leased_until: sql`now()` }).where('name', '=', name).execute();
  const hasEnded = async () => {
    const row = await rowOf(site.db, name);
    return row?.holder === null && row.failures === 0 && row.ended_at?.getTime() !== before?.ended_at?.getTime();
  };
  await expect.poll(hasEnded).toBe(true);
});
