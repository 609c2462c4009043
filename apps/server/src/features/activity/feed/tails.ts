import { LRUCache } from 'lru-cache';
import type { FeedHead, FeedPlace } from './feed.store.ts';
import type { Listeners } from './listeners.ts';
import { createTail, type FeedPage, type ReadFeed, type SharedTail, type Tail } from './tail.ts';

/** Full reads for listeners that are behind, cached for others that are at the same place: up to 32,000 rows. */
const PAGES = { max: 64, ttl: 15_000 };

export interface Tails {
  /** The tail that all listeners of an org share, for as long as there is one. `head` is the end of the feed as just read. */
  join(org: string, head: FeedHead): Tail;
}

type Read = (place: FeedPlace, signal: AbortSignal) => ReturnType<ReadFeed>;

interface TailsParts {
  readonly listeners: Pick<Listeners, 'listen'>;
  /** Reads what is new. */
  readonly readNew: Read;
  /** Reads for listeners that are behind. */
  readonly readOld: Read;
}

export function createTails({ listeners, readNew, readOld }: TailsParts): Tails {
  const tails = new Map<string, SharedTail>();
  const pages = new LRUCache<string, Promise<FeedPage>>(PAGES);
  let opened = 0;

  function open(org: string, head: FeedHead): SharedTail {
    const number = opened++;
    const tail = createTail({
      head,
      listen: (hear) => listeners.listen(org, hear),
      readNew: (index, signal) => readNew({ org, index }, signal),
      readOld: (index, signal) => readOld({ org, index }, signal),
      cachePage: {
        get: (index) => pages.get(`${number} ${index}`),
        set: (index, page) => void pages.set(`${number} ${index}`, page),
        delete: (index) => void pages.delete(`${number} ${index}`),
      },
      onEnd() {
        if (tails.get(org) === tail) tails.delete(org);
      },
    });
    tails.set(org, tail);
    return tail;
  }

  return {
    join(org, head) {
      const tail = tails.get(org);
      if (tail?.life === head.life) return tail.join();
      tail?.endAll();
      return open(org, head).join();
    },
  };
}
