import { forEachDue } from '../../platform/jobs/for-each-due.ts';
import type { Task } from '../../platform/jobs/task.ts';
import type { Logger } from '../../platform/log.ts';
import { systemClock } from '../../platform/time.ts';
import { recordReturn, recordStale } from './freshness.service.ts';
import { listHeardAgain, listNewlyStale } from './freshness.store.ts';

/** The rest follows a minute later. */
const MAX_PER_RUN = 5_000;

/**
 * Records when environments go stale and when they report again. Nobody can report while the service is down, so every
 * environment gets its allowance again, at most ten minutes, from the start of this worker or of the database,
 * whichever is later. API servers that are down while both run are not noticed: no report arrives then, and that is
 * what is recorded.
 */
export function watchFreshness(log: Logger, now: () => Date = systemClock): Task {
  const upSince = now();
  return {
    name: 'watch-freshness',
    cron: '* * * * *',
    async run(db) {
      const watch = { now: now(), upSince };
      const work = { db, log, now, actor: 'freshness', failure: 'freshness could not be recorded' };
      // Returns come first: an environment that reported again and went stale once more since the last run gets both
      // entries.
      const returned = await listHeardAgain(db, MAX_PER_RUN);
      await forEachDue(work, returned, (ctx, { environment_id }) => recordReturn(ctx, environment_id));
      const stale = await listNewlyStale(db, watch, MAX_PER_RUN);
      await forEachDue(work, stale, (ctx, { environment_id }) => recordStale(ctx, environment_id, watch));
    },
  };
}
