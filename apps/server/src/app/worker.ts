import { feedProcessor } from '../features/feed/feed.processor.ts';
import { pruneFeed } from '../features/feed/feed.tasks.ts';
import { flowActivity } from '../features/flows/flow.processor.ts';
import { pruneIdempotentReplies } from '../platform/http/idempotency.tasks.ts';
import type { Task } from '../platform/jobs/task.ts';
import { makeJournalMonths } from '../platform/journal/journal.tasks.ts';
import type { Processor } from '../platform/journal/processor.ts';
import { feedSubject, type NatsConnection, type StreamConfig } from '../platform/journal/stream.ts';

/** What reacts to the journal. */
export function processors(nats: NatsConnection, stream: StreamConfig): readonly Processor[] {
  return [flowActivity, feedProcessor((orgs) => nats.publish(feedSubject(stream), JSON.stringify(orgs)))];
}

/** What runs on a schedule. */
export const tasks: readonly Task[] = [makeJournalMonths, pruneFeed, pruneIdempotentReplies];
