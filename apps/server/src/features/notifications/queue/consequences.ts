import { pauseMs, retryWaitMs } from '@waymark/messages';
import type { AttemptOutcome } from '../send/outgoing.ts';

/** A target that has only failed for this long is disabled, and a delivery is given up after as long. */
export const PATIENCE_MS = 5 * 24 * 3_600_000;

/** With fewer failures, or fewer tries of the message, a target is not given up yet. */
const FAILURES_TO_GIVE_UP = 5;
const TRIES_TO_GIVE_UP = 3;

export interface Situation {
  /** Tries of the delivery before this one, and the time of the first of them. */
  readonly tries: number;
  readonly triedSince: Date | null;
  /** Consecutive failures of the target before this attempt. */
  readonly failures: number;
  /** When the attempt ended. */
  readonly now: Date;
  /** In [0, 1). */
  readonly random: number;
  /** It is not retried, as for a test. */
  readonly once: boolean;
}

export interface Consequences {
  /** Whether it counts against the target: not a success, a test, a final refusal, or a fault of the installation. */
  readonly counts: boolean;
  /** Null when the delivery is not retried. */
  readonly retryAt: Date | null;
  readonly pausedUntil: Date | null;
}

const NOTHING: Consequences = { counts: false, retryAt: null, pausedUntil: null };

/** Returns what follows from the outcome of an attempt. */
export function consequencesOf(outcome: AttemptOutcome, situation: Situation): Consequences {
  const { failures, tries, now, random } = situation;
  if (outcome.delivered || outcome.final || situation.once) return NOTHING;
  // Faults of the installation are not counted, so the wait depends on the tries of the message instead.
  const inARow = outcome.ours ? Math.max(failures, tries) : failures;
  const pause = Math.max(pauseMs(inARow + 1, random), outcome.retryAfterMs ?? 0);
  const wait = waitMs(situation);
  const retryAt = wait === undefined ? null : after(now, Math.max(wait, pause));
  return { counts: !outcome.ours, retryAt, pausedUntil: after(now, pause) };
}

/** Called after a failure that counts. Two failures are no reason to give up a target that gets one message a week. */
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
