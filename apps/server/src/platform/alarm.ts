import { pause } from './pause.ts';

/** For loops that look for work now and then, and sooner when somebody knows of some. Waking for nothing does no harm. */
export interface Alarm {
  wake(): void;
  /** Forgets that it was woken; to be called before the look. */
  reset(): void;
  /** Whether it was woken since, so that another look may find something. */
  wasWoken(): boolean;
  /** Sleeps so long, or until it is woken. */
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
