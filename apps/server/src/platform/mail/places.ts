/** Waits for a place, in the order of asking. Rejects with the reason of the signal. Returns how to leave it. */
type TakePlace = (signal?: AbortSignal) => Promise<() => void>;

export function createPlaces(count: number): TakePlace {
  let free = count;
  const waiting = new Set<() => void>();
  const leave = () => {
    const [next] = waiting;
    if (!next) free++;
    else {
      waiting.delete(next);
      next();
    }
  };
  return async (signal) => {
    signal?.throwIfAborted();
    if (free > 0) free--;
    else await turn(waiting, signal);
    return leave;
  };
}

function turn(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      waiting.delete(called);
      reject(signal?.reason);
    };
    const called = () => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    };
    waiting.add(called);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}
