import type { ObjectStore } from '../blobs/object-store.ts';
import type { Task } from '../jobs/task.ts';
import { archiveRound } from './archive.ts';

/** Leaves time for other tasks. */
const RUN_MS = 20_000;

/** Archives the ledger beside the sealer, so that a slow store delays no checkpoint. */
export function archiveLedger(objects: ObjectStore): Task {
  return {
    name: 'archive-ledger',
    cron: '* * * * *',
    async run(db) {
      const until = performance.now() + RUN_MS;
      const failures = new Map<string, unknown>();
      let last: string | undefined;
      for (let isDone = false; !isDone && performance.now() < until; ) {
        const round = await archiveRound({ db, objects }, last);
        for (const { log, error } of round.failures) failures.set(log, error);
        last = round.last;
        isDone = last === undefined && round.leaves === 0;
      }
      if (failures.size > 0)
        throw new AggregateError(failures.values(), `logs were not archived: ${[...failures.keys()].join(', ')}`);
    },
  };
}
