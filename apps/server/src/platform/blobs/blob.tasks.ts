import type { Task } from '../jobs/task.ts';
import { systemClock } from '../time.ts';
import { type BlobStore, sweepLimit } from './blob-store.ts';

/** Far longer than any upload takes. */
const ABANDONED_MS = 24 * 3_600_000;

/** Removes what interrupted uploads left behind. */
export function sweepBlobs(blobs: BlobStore): Task {
  return {
    name: 'sweep-blobs',
    cron: '27 * * * *',
    async run() {
      const olderThan = new Date(systemClock().getTime() - ABANDONED_MS);
      while ((await blobs.sweep(olderThan)) === sweepLimit);
    },
  };
}
