import { watchCrowding } from '../crowding.ts';
import { createFairQueue, type FairQueue, type FairQueueLimits } from '../fair-queue.ts';

/** Requests under way, by who they count for: whoever created the org, with all the orgs they created. */
export interface Admission extends Pick<FairQueue, 'run' | 'requireHope' | 'figures'> {
  stop(): void;
}

/** With fewer than the least, one slow request in a few would keep all others of its org waiting. */
const CROWDING = { lateMs: 10, least: 4, most: 32 };

const LIMITS: Omit<FairQueueLimits, 'runningPerOrg'> = {
  running: Number.POSITIVE_INFINITY,
  // Enough for shared statements to be full.
  runningAlone: 64,
  waiting: 4_000,
  waitingPerOrg: 500,
  patienceMs: 10_000,
  // What is answered within a second was not done for nobody.
  standingPatienceMs: 400,
  heavyFromMs: Number.POSITIVE_INFINITY,
  refusal: 'Your org asks for more than can be done for it right now: try again shortly',
};

export function createAdmission(limits: Partial<FairQueueLimits> = {}): Admission {
  const crowding = watchCrowding(CROWDING);
  const { run, requireHope, figures } = createFairQueue({ ...LIMITS, runningPerOrg: crowding.most, ...limits });
  return { run, requireHope, figures, stop: crowding.stop };
}
