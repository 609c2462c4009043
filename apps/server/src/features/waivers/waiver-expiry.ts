import { systemCtx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { isUnavailable } from '../../platform/db/failure.ts';
import { pollLoop } from '../../platform/jobs/poll-loop.ts';
import type { Logger } from '../../platform/log.ts';
import { systemClock } from '../../platform/time.ts';
import { expireWaivers } from './waiver.service.ts';
import { type Expired, listExpired } from './waiver.store.ts';

const POLL_MS = 2_000;
/** Per turn, and thus at most per transaction. */
const MAX_PER_TURN = 200;

interface ExpiryParts {
  readonly db: Db;
  readonly log: Logger;
  readonly now?: () => Date;
}

/** Ends waivers when they expire, until the signal aborts. Several workers may do so at once. */
export async function runWaiverExpiry(parts: ExpiryParts, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  const turn = async () => ((await endExpired(parts)) < MAX_PER_TURN ? pollMs : 0);
  await pollLoop({ turn, pollMs, log: parts.log, failure: 'expired waivers could not be ended' }, signal);
}

/** Ends waivers that have expired by now, at most 200, and returns how many. */
export async function endExpired(parts: ExpiryParts): Promise<number> {
  const expired = await listExpired(parts.db, (parts.now ?? systemClock)(), MAX_PER_TURN);
  let ended = 0;
  for (const waivers of Map.groupBy(expired, ({ org_id, environment_id }) => `${org_id} ${environment_id}`).values()) {
    ended += await endInEnvironment(parts, waivers);
  }
  return ended;
}

/** A failure does not hold up the others; it is retried in the next turn. */
async function endInEnvironment({ db, log, now }: ExpiryParts, waivers: readonly Expired[]): Promise<number> {
  const [first] = waivers;
  if (!first) return 0;
  const ctx = { ...systemCtx(db, first.org_id, 'expiry', log), ...(now && { now }) };
  const ids = waivers.map(({ id }) => id);
  try {
    return await expireWaivers(ctx, first.environment_id, ids);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    log.error({ err: error, environment: first.environment_id }, 'waivers could not be ended');
    return 0;
  }
}
