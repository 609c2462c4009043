import { createAlarm } from '../../../platform/alarm.ts';
import { inTransaction, systemCtx } from '../../../platform/ctx.ts';
import type { Db } from '../../../platform/db/db.ts';
import { storableMessage } from '../../../platform/db/failure.ts';
import { pollLoop } from '../../../platform/jobs/poll-loop.ts';
import type { Logger } from '../../../platform/log.ts';
import { systemClock } from '../../../platform/time.ts';
import { type Reevaluation, reevaluate } from './reevaluate.service.ts';
import { tryLockEnvironments } from './reevaluate.store.ts';
import { deleteRechecks, EVERYTHING, postponeRechecks, type Recheck } from './reevaluation-queue.store.ts';
import { createRecheckShares, type RecheckShares } from './reevaluation-shares.ts';

const POLL_MS = 1_000;
/** When others change environments that wait: reports, or another worker. */
const BUSY_POLL_MS = 50;
const PARALLEL = 2;
/** Groups of all orgs in one turn: whatever becomes due meanwhile waits for these at most. */
const GROUPS_IN_TURN = 4;
/** One that fails is tried again after 30 seconds, then after twice as long each time, and given up after an hour. */
const FIRST_WAIT_SECONDS = 30;
const MOST_TRIES = 8;

interface RecheckParts {
  readonly db: Db;
  readonly log: Logger;
  /** That of the machine unless given. */
  readonly now?: () => Date;
}

export interface Rechecks {
  /** Looks for work now. Waking for nothing does no harm. */
  wake(): void;
  /** Works until the signal is given; what it has begun it ends. */
  run(signal: AbortSignal): Promise<void>;
}

/** Looks again at environments that wait for it, of each org in turn. Several workers share the work. */
export function createRechecks(parts: RecheckParts, pollMs = POLL_MS): Rechecks {
  const alarm = createAlarm();
  const shares = createRecheckShares();

  const turn = async () => {
    const { looked, busy } = await takeTurn(parts, shares);
    if (looked > 0) return 0;
    return busy > 0 ? Math.min(BUSY_POLL_MS, pollMs) : pollMs;
  };
  const failure = 'environments wait for their re-evaluation';
  const run = (signal: AbortSignal) =>
    pollLoop({ turn, pollMs, log: parts.log, failure, wakes: { alarm, withinMs: 0 } }, signal);

  return { wake: alarm.wake, run };
}

/** How many environments were looked at, and how many were left because somebody else was changing them. */
interface Taken {
  readonly looked: number;
  readonly busy: number;
}

/** Takes some of those that wait, and says how many environments that were. */
export async function takeRechecks(parts: RecheckParts, shares = createRecheckShares()): Promise<number> {
  return (await takeTurn(parts, shares)).looked;
}

async function takeTurn(parts: RecheckParts, shares: RecheckShares): Promise<Taken> {
  const waiting = (await shares.next(parts.db)).values();
  const taken: Taken[] = [];
  const workThrough = async () => {
    for (const group of waiting) {
      if (taken.filter(({ looked }) => looked > 0).length >= GROUPS_IN_TURN) return;
      taken.push(await shares.charge(group, () => recheckOrSplit(parts, group)));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, workThrough));
  return sumOf(taken);
}

function sumOf(taken: readonly Taken[]): Taken {
  return taken.reduce((sum, { looked, busy }) => ({ looked: sum.looked + looked, busy: sum.busy + busy }), {
    looked: 0,
    busy: 0,
  });
}

/** When a group fails, one by one, so that one that cannot be looked at keeps no other waiting. */
async function recheckOrSplit(parts: RecheckParts, group: readonly Recheck[]): Promise<Taken> {
  const [first, ...others] = group;
  if (!first) return { looked: 0, busy: 0 };
  try {
    return await recheck(parts, first.org_id, group);
  } catch (error) {
    if (others.length === 0) {
      const setback = await postponeRechecks(parts.db, first, {
        error: storableMessage(error),
        firstWaitSeconds: FIRST_WAIT_SECONDS,
        mostTries: MOST_TRIES,
      });
      parts.log.error({ err: error, environment: first.environment_id }, `re-evaluation of an environment ${setback}`);
      return { looked: 0, busy: 0 };
    }
    const taken: Taken[] = [];
    for (const one of group) taken.push(await recheckOrSplit(parts, [one]));
    return sumOf(taken);
  }
}

/**
 * Several workers may try the same ones: who has the lock on an environment takes it, and whoever comes later finds
 * nothing to do. A worker that dies leaves what it has not committed to the others.
 */
async function recheck(
  { db, log, now = systemClock }: RecheckParts,
  org: string,
  group: readonly Recheck[],
): Promise<Taken> {
  const ids = group.map((waiting) => waiting.environment_id);
  return inTransaction({ ...systemCtx(db, org, 'verdicts', log), now }, async (ctx) => {
    // Before anything is written, so that entries about the environments are in the journal in their order.
    const locked = await tryLockEnvironments(ctx.db, ctx.org, ids);
    const busy = ids.length - locked.length;
    if (locked.length === 0) return { looked: 0, busy };
    const asked = Map.groupBy(await deleteRechecks(ctx.db, ctx.org, locked), (row) => row.environment_id);
    if (asked.size === 0) return { looked: 0, busy };
    await reevaluate(ctx, Array.from(asked, toLook));
    return { looked: asked.size, busy };
  });
}

function toLook([environmentId, rows]: [string, Awaited<ReturnType<typeof deleteRechecks>>]): Reevaluation {
  const causes = [...new Set(rows.map((row) => row.cause))];
  const fingerprints = [...new Set(rows.map((row) => row.fingerprint))];
  return { environmentId, causes, ...(!fingerprints.includes(EVERYTHING) && { fingerprints }) };
}
