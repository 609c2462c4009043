import { forEachDue } from '../../platform/jobs/for-each-due.ts';
import type { Task } from '../../platform/jobs/task.ts';
import type { Logger } from '../../platform/log.ts';
import { systemClock } from '../../platform/time.ts';
import { expireDue } from './change-request.service.ts';
import { listDue } from './change-request.store.ts';

/** The rest follows a minute later. */
const MAX_PER_RUN = 1_000;

/** Expires changes that waited too long for approval, or whose requester lost the role for them. */
export function expireChangeRequests(log: Logger, now: () => Date = systemClock): Task {
  return {
    name: 'expire-change-requests',
    cron: '* * * * *',
    async run(db) {
      const work = { db, log, now, actor: 'expiry', failure: 'a change request could not be expired' };
      await forEachDue(work, await listDue(db, now(), MAX_PER_RUN), (ctx, { id }) => expireDue(ctx, id));
    },
  };
}
