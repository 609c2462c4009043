import { Logger as JobLogger, parseCronItems, type Runner, run } from 'graphile-worker';
import type { Db } from '../db/db.ts';
import type { Logger } from '../log.ts';
import type { Task } from './task.ts';

/** Runs scheduled tasks in this worker; several workers share them through the database. */
export function startJobs(parts: { url: string; db: Db; tasks: readonly Task[]; log: Logger }): Promise<Runner> {
  const { url, db, tasks, log } = parts;
  return run({
    connectionString: url,
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
}
