import { flowDeployments } from '../features/deployments/deployment.processor.ts';
import { watchFreshness } from '../features/environments/freshness.tasks.ts';
import { feedProcessor } from '../features/feed/feed.processor.ts';
import { pruneFeed } from '../features/feed/feed.tasks.ts';
import { flowActivity } from '../features/flows/flow.processor.ts';
import { recheckProcessor } from '../features/snapshots/recheck.processor.ts';
import { sweepBlobs } from '../platform/blobs/blob.tasks.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import { pruneIdempotentReplies } from '../platform/http/idempotency.tasks.ts';
import type { Task } from '../platform/jobs/task.ts';
import { makeJournalMonths } from '../platform/journal/journal.tasks.ts';
import type { Processor } from '../platform/journal/processor.ts';
import type { Logger } from '../platform/log.ts';

interface Wakers {
  /** Tells the servers whose listeners have something new to see. */
  readonly feeds: (orgIds: readonly string[]) => void;
  /** Has environments looked at again without delay. */
  readonly rechecks: () => void;
}

/** What reacts to the journal. */
export function processors(wake: Wakers): readonly Processor[] {
  return [flowActivity, flowDeployments, feedProcessor(wake.feeds), recheckProcessor(wake.rechecks)];
}

/** What runs on a schedule. */
export function tasks(blobs: BlobStore, log: Logger): readonly Task[] {
  return [makeJournalMonths, pruneFeed, pruneIdempotentReplies, sweepBlobs(blobs), watchFreshness(log)];
}
