import type { StorageQuota } from '../../../platform/http/storage-quota.ts';
import { forEachDue } from '../../../platform/jobs/for-each-due.ts';
import type { Task } from '../../../platform/jobs/task.ts';
import type { Logger } from '../../../platform/log.ts';
import { systemClock } from '../../../platform/time.ts';
import { warnAdmins } from './storage-quota.service.ts';
import { listMoved } from './storage-quota.store.ts';

/** The rest follows a minute later. */
const MAX_PER_RUN = 1_000;

/** Warns the admins of orgs that approach their storage quota. */
export function warnOfStorage(standard: StorageQuota, log: Logger, now: () => Date = systemClock): Task {
  return {
    name: 'warn-of-storage',
    cron: '* * * * *',
    async run(db) {
      const orgs = (await listMoved(db, standard, MAX_PER_RUN)).map((org_id) => ({ org_id }));
      const work = { db, log, now, actor: 'storage', failure: 'admins could not be warned of the storage quota' };
      await forEachDue(work, orgs, (ctx) => warnAdmins(ctx, standard));
    },
  };
}
