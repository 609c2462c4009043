import { systemCtx } from '../../platform/ctx.ts';
import { isUnavailable } from '../../platform/db/failure.ts';
import type { StorageQuota } from '../../platform/http/storage-quota.ts';
import type { Task } from '../../platform/jobs/task.ts';
import type { Logger } from '../../platform/log.ts';
import { systemClock } from '../../platform/time.ts';
import { warnAdmins } from './storage-quota.service.ts';
import { listMoved } from './storage-quota.store.ts';

/** What is left over is taken up a minute later. */
const MOST = 1_000;

/** Warns the admins of orgs that come near their storage quota. One that fails does not keep the others. */
export function warnOfStorage(standard: StorageQuota, log: Logger, now: () => Date = systemClock): Task {
  return {
    name: 'warn-of-storage',
    cron: '* * * * *',
    async run(db) {
      for (const org of await listMoved(db, standard, MOST)) {
        try {
          await warnAdmins({ ...systemCtx(db, org, 'storage', log), now }, standard);
        } catch (error) {
          if (isUnavailable(error)) throw error;
          log.error({ err: error, org }, 'admins could not be warned of the storage quota');
        }
      }
    },
  };
}
