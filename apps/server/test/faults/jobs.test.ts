import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { startPostgres, stopPostgres } from '../../../../tools/services/postgres.ts';
import { openDb } from '../../src/platform/db/db.ts';
import { startJobs } from '../../src/platform/jobs/queue.ts';
import { silent } from '../harness.ts';
import { givenPostgres } from './private-services.ts';

/** What is left of a job: nothing once it was done, and its error once it failed. */
it.each([
  ['did its work', () => undefined, []],
  [
    'failed',
    () => {
      throw new Error('no luck');
    },
    [{ attempts: 1, last_error: expect.stringContaining('no luck'), is_locked: false }],
  ],
])('records that a scheduled task %s though PostgreSQL was away when it ended', async (_, outcome, left) => {
  const { cluster, url } = await givenPostgres();
  const db = openDb({ url, poolSize: 2, statementTimeoutMs: 30_000 }, silent);
  onTestFinished(() => db.destroy());
  const begun = Promise.withResolvers<void>();
  const away = Promise.withResolvers<void>();
  const run = async () => {
    begun.resolve();
    await away.promise;
    outcome();
  };
  const jobs = await startJobs({ url, db, tasks: [{ name: 'slow', cron: '0 0 1 1 *', run }], log: silent });
  onTestFinished(() => jobs.stop());
  await jobs.addJob('slow', {});
  await begun.promise;

  await stopPostgres(cluster);
  away.resolve();
  // Long enough for it to be told to a database that is not there.
  await sleep(1_000);
  await startPostgres(cluster);

  const jobsLeft = async () => {
    const { rows } = await sql`
      select attempts, last_error, locked_at is not null as is_locked from graphile_worker.jobs`.execute(db);
    return rows;
  };
  await expect.poll(jobsLeft, { timeout: 180_000, interval: 200 }).toEqual(left);
});
