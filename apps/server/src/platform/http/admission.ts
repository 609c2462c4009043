import { performance } from 'node:perf_hooks';
import { watchCrowding } from '../crowding.ts';
import { unavailable } from '../errors.ts';
import { createFairQueue, type FairQueue, type FairQueueLimits } from '../fair-queue.ts';
import { requestsOf } from './rate-limit.ts';

/** Requests in progress, counted for whoever created the org, across all the orgs they created. */
export interface Admission extends Pick<FairQueue, 'turnsAway' | 'isLong' | 'figures'> {
  /** `bytesOf` returns how much was parsed and answered; its argument is undefined when the work failed. */
  run<T>(owner: string, work: () => Promise<T>, bytesOf: (answer: T | undefined) => number): Promise<T>;
  /** Authentication takes a short turn of its own, because the rest of the request may take long to arrive. */
  recognize<T>(owner: string, work: () => Promise<T>): Promise<T>;
  stop(): void;
}

/** The error for an org with too many requests in progress. */
export const OVERLOADED = {
  message: 'Your org has too many requests in progress. Try again shortly',
  retryAfterSeconds: 1,
};

export function overloaded(): Error {
  return unavailable(OVERLOADED.message, OVERLOADED);
}

const CROWDING = {
  lateMs: 10,
  crowded: { least: 1, most: 8, slowMs: 15 },
  alone: { least: 8, most: 64, slowMs: 150 },
};

/** With fewer, one slow request would delay all others of its org. */
const LEAST = 4;

const LIMITS: Omit<FairQueueLimits, 'runningPerOrg'> = {
  running: Number.POSITIVE_INFINITY,
  waiting: 4_000,
  waitingPerOrg: 500,
  patienceMs: 10_000,
  // The client still waits for an answer that takes less than a second.
  congestionOfHeaviest: { afterMs: 1_000, patienceMs: 200 },
  // An org with light use may have to wait for a heavy one, but is not refused because of it.
  congestion: { afterMs: 5_000, patienceMs: 1_000 },
  congestedFrom: 32,
  heaviestFrom: 8,
  heavyFromMs: Number.POSITIVE_INFINITY,
  refusal: OVERLOADED.message,
  retryAfterSeconds: OVERLOADED.retryAfterSeconds,
};

export function createAdmission(limits: Partial<FairQueueLimits> = {}): Admission {
  const { crowded, alone, note, stop } = watchCrowding(CROWDING);
  const queue = createFairQueue({
    ...LIMITS,
    runningPerOrg: () => Math.max(LEAST, crowded()),
    runningAlone: alone,
    runningOfLight: CROWDING.crowded.most,
    runningOfHeaviest: crowded,
    ...limits,
  });
  return {
    async run<T>(owner: string, work: () => Promise<T>, bytesOf: (answer: T | undefined) => number) {
      let answer: T | undefined;
      await queue.runNext(owner, async () => {
        const startedAt = performance.now();
        try {
          answer = await work();
        } finally {
          note(performance.now() - startedAt);
          queue.weigh(owner, requestsOf(bytesOf(answer)));
        }
      });
      return answer as T;
    },
    recognize: queue.run,
    turnsAway: queue.turnsAway,
    isLong: queue.isLong,
    figures: queue.figures,
    stop,
  };
}
