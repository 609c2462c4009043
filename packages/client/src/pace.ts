/** Randomness and time, replaceable in tests. */
export interface Pace {
  /** From 0 to less than 1. */
  random(): number;
  now(): number;
  /** Fails with the signal's reason, at once when it is given. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

export const realPace: Pace = { random: Math.random, now: Date.now, sleep };

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
