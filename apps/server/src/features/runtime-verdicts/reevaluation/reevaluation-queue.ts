import { createAlarm } from '../../../platform/alarm.ts';
import { systemCtx } from '../../../platform/ctx.ts';
import type { Db } from '../../../platform/db/db.ts';
import { storableMessage } from '../../../platform/db/failure.ts';
import { pollLoop } from '../../../platform/jobs/poll-loop.ts';
import type { Logger } from '../../../platform/log.ts';
import { systemClock } from '../../../platform/time.ts';
import { tryLockEnvironments } from '../environment-lock.store.ts';
import { reevaluateQueued } from './queued-reevaluation.service.ts';
import { withClaims } from './reevaluation-claims.ts';
import { postponeReevaluations, type QueuedReevaluation } from './reevaluation-queue.store.ts';
import { createReevaluationShares, type ReevaluationShares } from './reevaluation-shares.ts';

const POLL_MS = 1_000;
/** The wait when others (reports, or another worker) hold the environments that are due. */
const BUSY_POLL_MS = 50;
const PARALLEL = 2;
/** Groups of all orgs per turn: work that becomes due meanwhile waits for at most these. */
const GROUPS_IN_TURN = 4;
/** A failure is retried after 30 seconds, then after twice as long each time, and given up after an hour. */
const FIRST_WAIT_SECONDS = 30;
const MAX_TRIES = 8;

interface ReevaluationParts {
  readonly db: Db;
  readonly log: Logger;
  /** The machine's clock, unless given. */
  readonly now?: () => Date;
}

export interface ReevaluationQueue {
  /** Polls for work now. An unneeded wake-up does no harm. */
  wake(): void;
  /** Works until the signal aborts, and finishes what it has begun. */
  run(signal: AbortSignal): Promise<void>;
}

/** Re-evaluates waiting environments, one org after the other. Several workers share the work. */
export function createReevaluations(parts: ReevaluationParts, pollMs = POLL_MS): ReevaluationQueue {
  const alarm = createAlarm();
  const shares = createReevaluationShares();

  const turn = async () => {
    const { reevaluated, busy } = await takeTurn(parts, shares);
    if (reevaluated > 0) return 0;
    return busy > 0 ? Math.min(BUSY_POLL_MS, pollMs) : pollMs;
  };
  const failure = 'environments wait for their re-evaluation';
  const run = (signal: AbortSignal) =>
    pollLoop({ turn, pollMs, log: parts.log, failure, wakes: { alarm, withinMs: 0 } }, signal);

  return { wake: alarm.wake, run };
}

/** The number of environments that were re-evaluated, and the number left because somebody else was changing them. */
interface Taken {
  readonly reevaluated: number;
  readonly busy: number;
}

/** Re-evaluates some of the waiting environments, and returns their number. */
export async function takeReevaluations(
  parts: ReevaluationParts,
  shares = createReevaluationShares(),
): Promise<number> {
  return (await takeTurn(parts, shares)).reevaluated;
}

async function takeTurn(parts: ReevaluationParts, shares: ReevaluationShares): Promise<Taken> {
  const waiting = (await shares.next(parts.db)).values();
  const taken: Taken[] = [];
  const workThrough = async () => {
    for (const group of waiting) {
      if (taken.filter(({ reevaluated }) => reevaluated > 0).length >= GROUPS_IN_TURN) return;
      taken.push(await shares.charge(group, () => reevaluateOrSplit(parts, group)));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, workThrough));
  return sumOf(taken);
}

function sumOf(taken: readonly Taken[]): Taken {
  return taken.reduce(
    (sum, { reevaluated, busy }) => ({ reevaluated: sum.reevaluated + reevaluated, busy: sum.busy + busy }),
    { reevaluated: 0, busy: 0 },
  );
}

/** Falls back to one by one when a group fails, so that one bad environment holds up no other. */
async function reevaluateOrSplit(parts: ReevaluationParts, group: readonly QueuedReevaluation[]): Promise<Taken> {
  const [first, ...others] = group;
  if (!first) return { reevaluated: 0, busy: 0 };
  try {
    return await reevaluateGroup(parts, first.org_id, group);
  } catch (error) {
    if (others.length === 0) {
      const setback = await postponeReevaluations(parts.db, first, {
        error: storableMessage(error),
        firstWaitSeconds: FIRST_WAIT_SECONDS,
        maxTries: MAX_TRIES,
      });
      parts.log.error({ err: error, environment: first.environment_id }, `re-evaluation of an environment ${setback}`);
      return { reevaluated: 0, busy: 0 };
    }
    const taken: Taken[] = [];
    for (const one of group) taken.push(await reevaluateOrSplit(parts, [one]));
    return sumOf(taken);
  }
}

/**
 * Several workers may try the same environments: the one that claims them does the work. What a dying worker has not
 * committed is left to the others.
 */
async function reevaluateGroup(
  { db, log, now = systemClock }: ReevaluationParts,
  org: string,
  group: readonly QueuedReevaluation[],
): Promise<Taken> {
  const ids = group.map((waiting) => waiting.environment_id);
  const ctx = { ...systemCtx(db, org, 'verdicts', log), now };
  // What somebody is changing right now would have to be judged again.
  const idle = await tryLockEnvironments(db, org, ids);
  return withClaims(db, org, idle, async (claimed) => {
    const reevaluated = claimed.length === 0 ? 0 : await reevaluateQueued(ctx, claimed);
    return { reevaluated, busy: ids.length - claimed.length };
  });
}
