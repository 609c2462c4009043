import { systemCtx } from '../../platform/ctx.ts';
import { isUnavailable } from '../../platform/db/failure.ts';
import type { Task } from '../../platform/jobs/task.ts';
import type { Logger } from '../../platform/log.ts';
import { systemClock } from '../../platform/time.ts';
import { listDue } from './departure.store.ts';
import { suspendDue } from './due-departure.service.ts';

/** What is left over is taken up a minute later. */
const MOST = 1_000;

/** Suspends what people made who left by SCIM, when the org's delay is over. One that fails does not keep the others. */
export function suspendAfterDepartures(log: Logger, now: () => Date = systemClock): Task {
  return {
    name: 'suspend-after-departures',
    cron: '* * * * *',
    async run(db) {
      for (const { org_id: org, id } of await listDue(db, now(), MOST)) {
        try {
          await suspendDue({ ...systemCtx(db, org, 'departures', log), now }, id);
        } catch (error) {
          if (isUnavailable(error)) throw error;
          log.error({ err: error, org, departure: id }, 'what a departed member made could not be suspended');
        }
      }
    },
  };
}
