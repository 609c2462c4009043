import { feedProcessor } from '../features/feed/feed.processor.ts';
import { pruneFeed } from '../features/feed/feed.tasks.ts';
import { flowActivity } from '../features/flows/flow.processor.ts';
import { sweepBlobs } from '../platform/blobs/blob.tasks.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import { pruneIdempotentReplies } from '../platform/http/idempotency.tasks.ts';
import type { Task } from '../platform/jobs/task.ts';
import { makeJournalMonths } from '../platform/journal/journal.tasks.ts';
import type { Processor } from '../platform/journal/processor.ts';

/** What reacts to the journal. `wakeFeeds` tells the servers whose listeners have something new to see. */
export function processors(wakeFeeds: (orgIds: readonly string[]) => void): readonly Processor[] {
  return [flowActivity, feedProcessor(wakeFeeds)];
}

/** What runs on a schedule. */
export function tasks(blobs: BlobStore): readonly Task[] {
  return [makeJournalMonths, pruneFeed, pruneIdempotentReplies, sweepBlobs(blobs)];
}
