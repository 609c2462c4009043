import { systemCtx } from '../../platform/ctx.ts';
import { isUnavailable } from '../../platform/db/failure.ts';
import type { Task } from '../../platform/jobs/task.ts';
import type { Logger } from '../../platform/log.ts';
import { systemClock } from '../../platform/time.ts';
import { expireDue } from './change-request.service.ts';
import { listDue } from './change-request.store.ts';

/** What is left over is taken up a minute later. */
const MOST = 1_000;

/** Ends changes that waited too long for approval, or whose asker lost the role for them. One that fails does not keep the others. */
export function expireChangeRequests(log: Logger, now: () => Date = systemClock): Task {
  return {
    name: 'expire-change-requests',
    cron: '* * * * *',
    async run(db) {
      for (const { org_id: org, id } of await listDue(db, now(), MOST)) {
        try {
          await expireDue({ ...systemCtx(db, org, 'expiry', log), now }, id);
        } catch (error) {
          if (isUnavailable(error)) throw error;
          log.error({ err: error, org, changeRequest: id }, 'a change request could not be ended');
        }
      }
    },
  };
}
