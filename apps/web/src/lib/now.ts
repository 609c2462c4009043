import { useSyncExternalStore } from 'react';

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let now = Math.floor(Date.now() / 1000);
let timer: ReturnType<typeof setInterval> | undefined;

/** The time in seconds. All ages on a page refer to the same moment and advance together. */
export function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      // Nothing has read the time for a while.
      if (timer === undefined) now = Math.floor(Date.now() / 1000);
      timer ??= setInterval(() => {
        now = Math.floor(Date.now() / 1000);
        for (const each of listeners) each();
      }, TICK_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    () => now,
  );
}
