import { inTransaction, systemCtx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import type { Logger } from '../../platform/log.ts';
import { pause } from '../../platform/pause.ts';
import { claimRechecks, deleteRecheck, type Recheck } from './recheck.store.ts';
import { recheckOrigins } from './snapshot.service.ts';

const POLL_MS = 1_000;
const BATCH = 32;
const PARALLEL = 4;
/** Also how long one that fails has to wait. */
const CLAIMED_SECONDS = 30;

interface RecheckParts {
  readonly db: Db;
  readonly log: Logger;
}

export interface Rechecks {
  /** Looks for work now. Waking for nothing does no harm. */
  wake(): void;
  /** Works until the signal is given; what it has begun it ends. */
  run(signal: AbortSignal): Promise<void>;
}

/** Looks again at environments that wait for it. Several workers share the work. */
export function createRechecks(parts: RecheckParts, pollMs = POLL_MS): Rechecks {
  let woken = false;
  let asleep = new AbortController();

  function wake(): void {
    woken = true;
    asleep.abort();
  }

  async function run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      woken = false;
      if ((await takeRechecksOrWait(parts)) > 0 || woken) continue;
      asleep = new AbortController();
      await pause(pollMs, asleep.signal);
    }
  }

  return { wake, run };
}

async function takeRechecksOrWait(parts: RecheckParts): Promise<number> {
  try {
    return await takeRechecks(parts);
  } catch (error) {
    parts.log.warn({ error: String(error) }, 'environments wait for another look');
    return 0;
  }
}

/** Takes some of those that wait, and says how many. */
export async function takeRechecks(parts: RecheckParts): Promise<number> {
  const claimed = await claimRechecks(parts.db, BATCH, CLAIMED_SECONDS);
  const waiting = claimed.values();
  const workThrough = async () => {
    for (const environment of waiting) await recheck(parts, environment);
  };
  await Promise.all(Array.from({ length: PARALLEL }, workThrough));
  return claimed.length;
}

async function recheck({ db, log }: RecheckParts, environment: Recheck): Promise<void> {
  const ctx = systemCtx(db, environment.org_id, 'provenance', log);
  try {
    await inTransaction(ctx, async (ctx) => {
      // Before anything is written, so that entries about the environment are in the journal in their order.
      await lockSubject(ctx.db, ctx.org, 'environment', environment.environment_id);
      if (await deleteRecheck(ctx.db, environment)) await recheckOrigins(ctx, environment.environment_id);
    });
  } catch (error) {
    log.error({ err: error, environment: environment.environment_id }, 'environment could not be looked at again');
  }
}
