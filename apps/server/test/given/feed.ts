import { feedProcessor } from '../../src/features/activity/feed/feed.processor.ts';
import type { TestApi } from '../harness.ts';
import { givenTurns, type Turns } from './turns.ts';

/** Makes feed events of the journal, as a worker does when it is woken. */
export function givenFeed(api: TestApi): Promise<Turns> {
  return givenTurns(
    api,
    feedProcessor((orgs) => api.listeners.wake(orgs)),
  );
}
