import { forEachDue } from '../../../platform/jobs/for-each-due.ts';
import type { Task } from '../../../platform/jobs/task.ts';
import type { Logger } from '../../../platform/log.ts';
import { systemClock } from '../../../platform/time.ts';
import { listDue } from './departure.store.ts';
import { suspendDue } from './due-departure.service.ts';

/** The rest follows a minute later. */
const MAX_PER_RUN = 1_000;

/** Suspends what people who left by SCIM made, once the org's delay has passed. */
export function suspendAfterDepartures(log: Logger, now: () => Date = systemClock): Task {
  return {
    name: 'suspend-after-departures',
    cron: '* * * * *',
    async run(db) {
      const failure = 'what a departed member made could not be suspended';
      const work = { db, log, now, actor: 'departures', failure };
      await forEachDue(work, await listDue(db, now(), MAX_PER_RUN), (ctx, { id }) => suspendDue(ctx, id));
    },
  };
}
