import { systemCtx } from '../../../platform/ctx.ts';
import type { Db } from '../../../platform/db/db.ts';
import { isUnavailable } from '../../../platform/db/failure.ts';
import { pollLoop } from '../../../platform/jobs/poll-loop.ts';
import type { Logger } from '../../../platform/log.ts';
import { systemClock } from '../../../platform/time.ts';
import { stepWindows } from './expiry-steps.ts';
import { notifyOfKeys } from './key-expiry.service.ts';
import { type DueKey, listDueKeys } from './key-expiry.store.ts';

const POLL_MS = 30_000;
/** Keys in one query, and therefore in one transaction at most. */
const BATCH_SIZE = 100;
/** How often all keys that expire soon are read, instead of only those with a new step. */
const ALL_EVERY_MS = 60 * 60 * 1000;
/** A key may be written by a slow transaction. */
const OVERLAP_MS = 10 * 60 * 1000;

interface ExpiryParts {
  readonly db: Db;
  readonly log: Logger;
  readonly now?: () => Date;
}

/** Plans messages about keys that expire soon, until the signal is given. Several workers may do so at once. */
export async function runKeyExpiries(parts: ExpiryParts, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  const search = keyExpirySearch(parts, signal);
  const turn = async () => {
    await search();
    return pollMs;
  };
  await pollLoop(
    { turn, pollMs, log: parts.log, failure: 'messages about expiring keys could not be planned' },
    signal,
  );
}

/**
 * Returns a search that remembers its last run, and so reads few rows. It reads all keys that expire soon on its first
 * run, after an incomplete one, when the clock was set back, and every hour.
 */
export function keyExpirySearch(parts: ExpiryParts, signal?: AbortSignal): () => Promise<number> {
  let all: Date | undefined;
  let last: Date | undefined;
  return async () => {
    const at = (parts.now ?? systemClock)();
    const since = all && last && last <= at && msBetween(all, at) < ALL_EVERY_MS ? last : undefined;
    last = undefined;
    const { messages, isComplete } = await searchKeys(
      parts,
      at,
      since && new Date(since.getTime() - OVERLAP_MS),
      signal,
    );
    if (!since) all = at;
    if (isComplete) last = at;
    return messages;
  };
}

/** Enqueues messages about all keys with a due step, and returns how many. */
export async function raiseKeyExpiries(parts: ExpiryParts): Promise<number> {
  const { messages } = await searchKeys(parts, (parts.now ?? systemClock)());
  return messages;
}

async function searchKeys(parts: ExpiryParts, at: Date, since?: Date, signal?: AbortSignal) {
  const windows = stepWindows(at, since);
  let messages = 0;
  let isComplete = true;
  let last: DueKey | undefined;
  do {
    const keys = await listDueKeys(parts.db, windows, BATCH_SIZE, last);
    for (const [org, ofOrg] of Map.groupBy(keys, ({ org_id }) => org_id)) {
      const inOrg = await notifyInOrg(parts, at, org, ofOrg);
      messages += inOrg ?? 0;
      isComplete &&= inOrg !== undefined;
    }
    last = keys.length < BATCH_SIZE ? undefined : keys.at(-1);
  } while (last && !signal?.aborted);
  return { messages, isComplete };
}

/** An org that fails does not delay the others; its keys are tried again in the next search. */
async function notifyInOrg(
  { db, log }: ExpiryParts,
  at: Date,
  org: string,
  keys: readonly DueKey[],
): Promise<number | undefined> {
  try {
    return await notifyOfKeys({ ...systemCtx(db, org, 'key-expiry', log), now: () => at }, keys);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    log.error({ err: error, org }, 'warnings about expiring keys could not be sent');
    return undefined;
  }
}

function msBetween(from: Date, until: Date): number {
  return until.getTime() - from.getTime();
}
