import { type Ctx, systemCtx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { isUnavailable } from '../../platform/db/failure.ts';
import type { Task } from '../../platform/jobs/task.ts';
import type { Logger } from '../../platform/log.ts';
import { systemClock } from '../../platform/time.ts';
import { recordReturn, recordSilence } from './freshness.service.ts';
import { listHeardAgain, listNewlySilent, type Watched } from './freshness.store.ts';

/** What is left over is taken up a minute later. */
const MOST = 5_000;

/**
 * Tells the journal when environments fall silent and when they are heard of again. While the service is down nobody
 * can report, so each environment gets its allowance anew, ten minutes at most, from the start of this worker or of the
 * database, whichever is later. Servers that do not answer while both run are not noticed: nothing is heard then, and
 * that is what is recorded.
 */
export function watchFreshness(log: Logger, now: () => Date = systemClock): Task {
  const upSince = now();
  return {
    name: 'watch-freshness',
    cron: '* * * * *',
    async run(db) {
      const watch = { now: now(), upSince };
      // Returns first: what reported again and fell silent once more since the last look has both told.
      await forEach(db, log, now, await listHeardAgain(db, MOST), recordReturn);
      await forEach(db, log, now, await listNewlySilent(db, watch, MOST), (ctx, id) => recordSilence(ctx, id, watch));
    },
  };
}

/** One that fails does not keep the others; it is tried again at the next run. */
async function forEach(
  db: Db,
  log: Logger,
  now: () => Date,
  watched: readonly Watched[],
  record: (ctx: Ctx, id: string) => Promise<void>,
): Promise<void> {
  for (const { org_id: org, environment_id: id } of watched) {
    try {
      await record({ ...systemCtx(db, org, 'freshness', log), now }, id);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, environment: id }, 'freshness could not be recorded');
    }
  }
}
