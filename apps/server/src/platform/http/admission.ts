import { performance } from 'node:perf_hooks';
import { watchCrowding } from '../crowding.ts';
import { unavailable } from '../errors.ts';
import { createFairQueue, type FairQueue, type FairQueueLimits } from '../fair-queue.ts';

/** Requests under way, by who they count for: whoever created the org, with all the orgs they created. */
export interface Admission extends Pick<FairQueue, 'turnsAway' | 'figures'> {
  run<T>(owner: string, work: () => Promise<T>): Promise<T>;
  stop(): void;
}

/** What somebody reads whose org has too much under way. */
export const OVERLOADED = {
  message: 'Your org asks for more than can be done for it right now: try again shortly',
  retryAfterSeconds: 1,
};

export function overloaded(): Error {
  return unavailable(OVERLOADED.message, OVERLOADED);
}

/** With fewer than the least, one slow request in a few would keep all others of its org waiting. */
const CROWDING = {
  lateMs: 10,
  crowded: { least: 4, most: 32, slowMs: 25 },
  // The most is enough for shared statements to be full.
  alone: { least: 8, most: 64, slowMs: 150 },
};

const LIMITS: Omit<FairQueueLimits, 'runningPerOrg'> = {
  running: Number.POSITIVE_INFINITY,
  waiting: 4_000,
  waitingPerOrg: 500,
  patienceMs: 10_000,
  // What is answered within a second was not done for nobody.
  standingOfHeaviest: { afterMs: 1_000, patienceMs: 200 },
  // Who asks for less than another waits because of that one, and is not refused for it.
  standing: { afterMs: 5_000, patienceMs: 1_000 },
  standsFrom: 32,
  heavyFromMs: Number.POSITIVE_INFINITY,
  refusal: OVERLOADED.message,
  retryAfterSeconds: OVERLOADED.retryAfterSeconds,
};

export function createAdmission(limits: Partial<FairQueueLimits> = {}): Admission {
  const { crowded, alone, note, stop } = watchCrowding(CROWDING);
  const queue = createFairQueue({ ...LIMITS, runningPerOrg: crowded, runningAlone: alone, ...limits });
  return {
    async run(owner, work) {
      // Many may have come while the first of them were being recognised.
      if (queue.turnsAway(owner)) throw overloaded();
      return queue.run(owner, async () => {
        const startedAt = performance.now();
        try {
          return await work();
        } finally {
          note(performance.now() - startedAt);
        }
      });
    },
    turnsAway: queue.turnsAway,
    figures: queue.figures,
    stop,
  };
}
