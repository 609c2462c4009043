import { systemCtx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { isUnavailable } from '../../platform/db/failure.ts';
import type { Logger } from '../../platform/log.ts';
import { pause } from '../../platform/pause.ts';
import { systemClock } from '../../platform/time.ts';
import { expireListings } from './allow-list.service.ts';
import { type Expired, listExpired } from './allow-list.store.ts';

const POLL_MS = 2_000;
/** Of one look, and so of one transaction at most. */
const MOST = 200;

interface ExpiryParts {
  readonly db: Db;
  readonly log: Logger;
  readonly now?: () => Date;
}

/** Ends allow-listings when their time has come, until the signal is given. Several workers may do so at once. */
export async function runExpiries(parts: ExpiryParts, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  while (!signal.aborted) {
    const ended = await endExpiredOrWait(parts);
    if (ended < MOST) await pause(pollMs, signal);
  }
}

async function endExpiredOrWait(parts: ExpiryParts): Promise<number> {
  try {
    return await endExpired(parts);
  } catch (error) {
    parts.log.warn({ error: String(error) }, 'expired allow-listings wait for their end');
    return 0;
  }
}

/** Ends what has expired by now, at most 200, and says how many it were. */
export async function endExpired(parts: ExpiryParts): Promise<number> {
  const expired = await listExpired(parts.db, (parts.now ?? systemClock)(), MOST);
  let ended = 0;
  for (const listings of Map.groupBy(expired, ({ org_id, environment_id }) => `${org_id} ${environment_id}`).values()) {
    ended += await endInEnvironment(parts, listings);
  }
  return ended;
}

/** One that fails does not keep the others; it is tried again at the next look. */
async function endInEnvironment({ db, log, now }: ExpiryParts, listings: readonly Expired[]): Promise<number> {
  const [first] = listings;
  if (!first) return 0;
  const ctx = { ...systemCtx(db, first.org_id, 'expiry', log), ...(now && { now }) };
  const ids = listings.map(({ id }) => id);
  try {
    return await expireListings(ctx, first.environment_id, ids);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    log.error({ err: error, environment: first.environment_id }, 'allow-listings could not be ended');
    return 0;
  }
}
