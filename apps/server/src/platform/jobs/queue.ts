import { Logger as JobLogger, parseCronItems, type Runner, run } from 'graphile-worker';
import type { Db } from '../db/db.ts';
import type { Logger } from '../log.ts';
import { openPatientPool } from './patient-pool.ts';
import type { Task } from './task.ts';

export interface Jobs {
  /** Has a task done now, besides its schedule. */
  readonly addJob: Runner['addJob'];
  stop(): Promise<void>;
}

/** Runs scheduled tasks in this worker; several workers share them through the database. */
export async function startJobs(parts: { url: string; db: Db; tasks: readonly Task[]; log: Logger }): Promise<Jobs> {
  const { url, db, tasks, log } = parts;
  const pool = openPatientPool(url, log);
  const runner = await run({
    pgPool: pool,
    concurrency: 2,
    noHandleSignals: true,
    // The library's own chatter is ours to see only when it goes wrong.
    logger: new JobLogger(() => (level, message) => {
      if (level === 'error' || level === 'warning') log.warn({ job: message }, 'job');
    }),
    taskList: Object.fromEntries(tasks.map((task) => [task.name, () => task.run(db)])),
    parsedCronItems: parseCronItems(
      tasks.map((task) => ({
        task: task.name,
        match: task.cron,
        options: { backfillPeriod: 3_600_000, maxAttempts: 5 },
      })),
    ),
  });
  return {
    addJob: runner.addJob,
    async stop() {
      await runner.stop();
      await pool.end();
    },
  };
}
