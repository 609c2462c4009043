import { pause } from './pause.ts';

/** For loops that poll for work, and run sooner when woken. Waking without work does no harm. */
export interface Alarm {
  wake(): void;
  /** Forgets that it was woken; to be called before polling. */
  reset(): void;
  /** Whether it was woken since, so that polling again may find something. */
  wasWoken(): boolean;
  /** Sleeps for this long, or until it is woken. */
  sleep(ms: number): Promise<void>;
}

export function createAlarm(): Alarm {
  let woken = false;
  let asleep = new AbortController();
  return {
    wake() {
      woken = true;
      asleep.abort();
    },
    reset() {
      woken = false;
    },
    wasWoken: () => woken,
    async sleep(ms) {
      asleep = new AbortController();
      await pause(ms, asleep.signal);
    },
  };
}
