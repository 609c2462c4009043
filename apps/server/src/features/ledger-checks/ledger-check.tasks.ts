import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { ObjectStore } from '../../platform/blobs/object-store.ts';
import { isUnavailable } from '../../platform/db/failure.ts';
import type { Task } from '../../platform/jobs/task.ts';
import type { Logger } from '../../platform/log.ts';
import { checkOrg } from './check-org.ts';
import { checkRegion } from './check-region.ts';
import { findNextOrg } from './ledger-check.store.ts';

/** Entries of one org in a run, so that a long history does not keep the others waiting. */
const ENTRIES_PER_TURN = 5_000;
/** A run is a small part of a minute of one processor. */
const RUN_MS = 5_000;

interface CheckTaskParts {
  readonly blobs: BlobStore;
  readonly objects: ObjectStore;
  readonly log: Logger;
}

/** Compares the ledgers of all orgs with their records, one part after another, and each org in its turn. */
export function checkLedgers({ blobs, log }: Pick<CheckTaskParts, 'blobs' | 'log'>): Task {
  return {
    name: 'check-ledgers',
    cron: '* * * * *',
    async run(db) {
      const until = performance.now() + RUN_MS;
      const seen = new Set<string>();
      while (performance.now() < until) {
        const org = await findNextOrg(db);
        if (org === undefined || seen.has(org)) return;
        seen.add(org);
        try {
          const onDifference = (_: unknown, difference: string) =>
            log.error({ difference }, 'the ledger does not agree with the records');
          await checkOrg({ db, blobs, onDifference }, org, { maxEntries: ENTRIES_PER_TURN });
        } catch (error) {
          if (isUnavailable(error)) throw error;
          log.error({ err: error, org }, 'the ledger could not be compared with the records');
        }
      }
    },
  };
}

/** Compares the region log with its checkpoints, here and in the object store. */
export function checkRegionLog({ objects, log }: Pick<CheckTaskParts, 'objects' | 'log'>): Task {
  return {
    name: 'check-region-log',
    cron: '41 * * * *',
    async run(db) {
      const onDifference = (_: unknown, difference: string) =>
        log.error({ difference }, 'the region log does not agree with its checkpoints');
      await checkRegion({ db, objects, onDifference });
    },
  };
}
