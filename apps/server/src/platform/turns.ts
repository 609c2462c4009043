import { unavailable } from './errors.ts';
import { figuresOf, type QueueFigures } from './fair-queue.ts';

/** More than this many at once for one subject is not traffic but a bug of the caller. */
const MAX_WAITING = 64;

/** Runs work on the same subject sequentially, and on different subjects concurrently. */
export type InTurn = <T>(subject: string, work: () => Promise<T>) => Promise<T>;

export interface Turns {
  readonly inTurn: InTurn;
  figures(): QueueFigures;
}

/**
 * Work that would wait for one database lock waits here instead, where it holds no connection that others need. It is
 * not a lock: other servers do not wait for it.
 */
export function createTurns(): Turns {
  const queues = new Map<string, { waiting: number; last: Promise<unknown> }>();
  const sums = { running: 0, waiting: 0, admitted: 0, refused: 0, waitedMs: 0 };

  async function begin<T>(askedAt: number, work: () => Promise<T>): Promise<T> {
    sums.waiting--;
    sums.admitted++;
    sums.running++;
    sums.waitedMs += performance.now() - askedAt;
    try {
      return await work();
    } finally {
      sums.running--;
    }
  }

  return {
    async inTurn(subject, work) {
      const queue = queues.get(subject) ?? { waiting: 0, last: Promise.resolve() };
      if (queue.waiting >= MAX_WAITING) {
        sums.refused++;
        throw unavailable('Too many changes to the same resource are waiting');
      }
      queues.set(subject, queue);
      queue.waiting++;
      sums.waiting++;
      const askedAt = performance.now();
      const turn = queue.last.then(() => begin(askedAt, work));
      queue.last = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        if (--queue.waiting === 0) queues.delete(subject);
      }
    },
    figures: () => figuresOf(sums),
  };
}
