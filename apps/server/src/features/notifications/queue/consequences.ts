import { pauseMs, retryWaitMs } from '@waymark/messages';
import type { Outcome } from '../send/outgoing.ts';

/** A target that only failed for so long is given up, and a delivery that was tried for so long as well. */
export const PATIENCE_MS = 5 * 24 * 3_600_000;

/** Fewer failures than these, or a message that was tried less often, do not say that a target is hopeless. */
const FAILURES_TO_GIVE_UP = 5;
const TRIES_TO_GIVE_UP = 3;

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
  /** Whether it speaks against the target: not what went well, a test, what is refused for good, nor a fault of ours. */
  readonly counts: boolean;
  /** Null when the delivery is not tried again. */
  readonly retryAt: Date | null;
  readonly pausedUntil: Date | null;
}

const NOTHING: Consequences = { counts: false, retryAt: null, pausedUntil: null };

/** What follows from how an attempt went. */
export function consequencesOf(outcome: Outcome, situation: Situation): Consequences {
  const { failures, tries, now, random } = situation;
  if (outcome.delivered || outcome.final || situation.once) return NOTHING;
  // Faults of ours are not counted, so that how long to wait for somebody to mend them goes by the message.
  const inARow = outcome.ours ? Math.max(failures, tries) : failures;
  const pause = Math.max(pauseMs(inARow + 1, random), outcome.retryAfterMs ?? 0);
  const wait = waitMs(situation);
  const retryAt = wait === undefined ? null : after(now, Math.max(wait, pause));
  return { counts: !outcome.ours, retryAt, pausedUntil: after(now, pause) };
}

/** After a failure that counts. Of a target that gets a message a week, two that failed are no reason. */
export function isHopeless(
  target: { readonly failures: number; readonly failingSince: Date | null },
  tries: number,
  now: Date,
): boolean {
  const { failures, failingSince } = target;
  if (failingSince === null || failures < FAILURES_TO_GIVE_UP || tries < TRIES_TO_GIVE_UP) return false;
  return now.getTime() - failingSince.getTime() >= PATIENCE_MS;
}

function waitMs({ tries, triedSince, now, random }: Situation): number | undefined {
  const isOld = triedSince !== null && now.getTime() - triedSince.getTime() >= PATIENCE_MS;
  return isOld ? undefined : retryWaitMs(tries + 1, random);
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
