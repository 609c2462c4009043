import { unavailable } from './errors.ts';

/** More than this many at once for one subject is no traffic but a fault of the caller. */
const MAX_WAITING = 64;

/** Runs work on the same subject one after another, and on different subjects at once. */
export type InTurn = <T>(subject: string, work: () => Promise<T>) => Promise<T>;

/**
 * Work that would wait for one lock of the database waits here instead, where it holds no connection that others need.
 * It is no lock: other servers do not wait for it.
 */
export function createTurns(): InTurn {
  const queues = new Map<string, { waiting: number; last: Promise<unknown> }>();
  return async (subject, work) => {
    const queue = queues.get(subject) ?? { waiting: 0, last: Promise.resolve() };
    if (queue.waiting >= MAX_WAITING) throw unavailable('Too many changes of the same thing are waiting');
    queues.set(subject, queue);
    queue.waiting++;
    const turn = queue.last.then(work, work);
    queue.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      if (--queue.waiting === 0) queues.delete(subject);
    }
  };
}
