import type { Listeners } from './listeners.ts';
import { createTail, type ReadFeed, type SharedTail, type Tail } from './tail.ts';

export interface Tails {
  /** The tail that all listeners of an org share, for as long as there is one. `head` is the end of the feed as just read. */
  join(org: string, head: number): Tail;
}

export function createTails(listeners: Listeners, read: ReadFeed): Tails {
  const tails = new Map<string, SharedTail>();

  function open(org: string, head: number): SharedTail {
    const tail = createTail({
      head,
      listen: (hear) => listeners.listen(org, hear),
      read: (index, signal) => read(org, index, signal),
      onEnd: () => tails.delete(org),
    });
    tails.set(org, tail);
    return tail;
  }

  return { join: (org, head) => (tails.get(org) ?? open(org, head)).join() };
}
