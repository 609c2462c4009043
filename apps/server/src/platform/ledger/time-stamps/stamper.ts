import type { Db } from '../../db/db.ts';
import type { Logger } from '../../log.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { pause } from '../../pause.ts';
import { type NewestCheckpoint, readNewestCheckpoint } from '../newest-checkpoint.ts';
import { type Authority, NoTimeStamp, requestStamp } from './request-stamp.ts';
import { findNewestStamp, insertStamp, updateStampFailure } from './time-stamp.store.ts';

const POLL_MS = 5_000;
const BETWEEN_STAMPS_MS = 60 * 60_000;
const FIRST_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 15 * 60_000;

export interface StamperParts {
  readonly db: Db;
  readonly authority: Authority;
  readonly outbound: GuardedFetch;
  readonly now: () => Date;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Has the newest checkpoint of the region log stamped, once an hour at most, until the signal is given. */
export async function stampCheckpoints(parts: StamperParts): Promise<void> {
  const { db, log, signal } = parts;
  let failures = 0;
  let notBefore = 0;
  while (!signal.aborted) {
    try {
      if (performance.now() >= notBefore && (await stampIfDue(parts))) failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NoTimeStamp)) throw error;
      failures += 1;
      notBefore = performance.now() + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
      await updateStampFailure(db, error.message);
      log.warn({ authority: parts.authority.url, error: error.message }, 'checkpoint was not time stamped');
    }
    await pause(POLL_MS, signal);
  }
}

/** Returns whether a checkpoint was due, which has its time stamp then. */
export async function stampIfDue(parts: StamperParts): Promise<boolean> {
  const checkpoint = await findDue(parts);
  if (!checkpoint) return false;
  // The note as it is stored, which is without cosignatures: the message that a verifier makes of it again.
  const stamp = await requestStamp(parts, Buffer.from(checkpoint.note));
  await insertStamp(parts.db, checkpoint, stamp);
  return true;
}

/** Returns the newest checkpoint if it has no time stamp, and none is of the last hour. */
async function findDue({ db, now }: StamperParts): Promise<NewestCheckpoint | undefined> {
  const [newest, stamp] = [await readNewestCheckpoint(db), await findNewestStamp(db)];
  if (!newest || !stamp) return newest;
  if (newest.epoch === stamp.epoch && newest.number === stamp.number) return undefined;
  return now().getTime() - stamp.stampedAt.getTime() >= BETWEEN_STAMPS_MS ? newest : undefined;
}
