import { pauseMs, retryWaitMs } from '@waymark/messages';
import type { Outcome } from './outgoing.ts';

/** A target that only failed for so long is given up, and a delivery that was tried for so long as well. */
export const PATIENCE_MS = 5 * 24 * 3_600_000;

/** From so many failures in a row on, messages were left waiting: when the target works again they all become due. */
const FAILURES_BEFORE_FLUSH = 2;

export interface Situation {
  /** Tries of the delivery before this one, and when the first of them was. */
  readonly tries: number;
  readonly triedSince: Date | null;
  /** Failures of the target in a row before this attempt. */
  readonly failures: number;
  /** When the attempt had ended. */
  readonly now: Date;
  /** In [0, 1). */
  readonly random: number;
  /** There is no second try, as of a test. */
  readonly once: boolean;
}

export interface Consequences {
  readonly failures: number;
  /** Null when the delivery is not tried again. */
  readonly retryAt: Date | null;
  readonly pausedUntil: Date | null;
  readonly flushes: boolean;
}

/** What follows from how an attempt went. */
export function consequencesOf(outcome: Outcome, situation: Situation): Consequences {
  const { failures, now } = situation;
  if (outcome.delivered) {
    return { failures: 0, retryAt: null, pausedUntil: null, flushes: failures >= FAILURES_BEFORE_FLUSH };
  }
  const failed = { failures: failures + 1, flushes: false };
  if (outcome.final) return { ...failed, retryAt: null, pausedUntil: null };
  const pause = Math.max(pauseMs(failures + 1, situation.random), outcome.retryAfterMs ?? 0);
  const wait = waitMs(situation);
  const retryAt = wait === undefined ? null : after(now, Math.max(wait, pause));
  return { ...failed, retryAt, pausedUntil: after(now, pause) };
}

function waitMs({ tries, triedSince, now, random, once }: Situation): number | undefined {
  const isOld = triedSince !== null && now.getTime() - triedSince.getTime() >= PATIENCE_MS;
  return once || isOld ? undefined : retryWaitMs(tries + 1, random);
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
