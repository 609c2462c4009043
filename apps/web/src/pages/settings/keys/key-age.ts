import { DAY_SECONDS } from '../../../lib/day.ts';
import { ago } from '../../../lib/time.ts';

/** Close enough to the end that somebody should act. */
export const WARN_DAYS = 14;
const COUNTED_DAYS = 120;

export interface KeyAge {
  readonly state: 'expired' | 'soon' | 'good' | 'endless' | 'replaced';
  /** Such as `expires in 3 weeks`. */
  readonly says: string;
  /** How much of its life is over, from 0 to 1; null when it has no end. */
  readonly share: number | null;
}

interface Dates {
  readonly created_at: number;
  /** 0 when it never expires. */
  readonly expires_at: number;
  /** The key that takes over; null when there is none. */
  readonly replaced_by: string | null;
}

export function keyAge({ created_at, expires_at, replaced_by }: Dates, now: number): KeyAge {
  if (expires_at === 0) return { state: 'endless', says: 'never expires', share: null };
  if (expires_at <= now) return { state: 'expired', says: `expired ${ago(expires_at, now)}`, share: 1 };
  // It expires on purpose: no action is needed.
  if (replaced_by !== null)
    return { state: 'replaced', says: `replaced, rejected in ${graceLeft(expires_at - now)}`, share: null };
  const share = Math.min(1, Math.max(0, (now - created_at) / Math.max(1, expires_at - created_at)));
  const isSoon = expires_at - now <= WARN_DAYS * DAY_SECONDS;
  return { state: isSoon ? 'soon' : 'good', says: `expires ${timeLeft(expires_at, now)}`, share };
}

/** Returns whether the server would rotate it: one that was replaced or has expired is refused. */
export function isRotatable(key: Dates, now: number): boolean {
  return key.replaced_by === null && keyAge(key, now).state !== 'expired';
}

/** In days up to `COUNTED_DAYS`: `2 months` is too coarse to plan with. */
function timeLeft(at: number, now: number): string {
  const days = Math.trunc((at - now) / DAY_SECONDS);
  return days >= 7 && days <= COUNTED_DAYS ? `in ${days} days` : ago(at, now);
}

/** In hours up to two days, as grace periods are set in hours. */
function graceLeft(seconds: number): string {
  if (seconds >= 2 * DAY_SECONDS) return `${Math.floor(seconds / DAY_SECONDS)} days`;
  return seconds >= 3_600 ? `${Math.floor(seconds / 3_600)} h` : `${Math.ceil(seconds / 60)} min`;
}

/** The warning above the list; null when there is none. Replaced keys do not count. */
export function keysWarning(keys: readonly Dates[], now: number): string | null {
  const counted = keys.filter(({ replaced_by }) => replaced_by === null);
  const soon = counted.filter((key) => keyAge(key, now).state === 'soon').length;
  if (soon === 0) return null;
  return `${soon} of ${counted.length} ${counted.length === 1 ? 'key' : 'keys'} ${soon === 1 ? 'expires' : 'expire'} within ${WARN_DAYS} days. Rotate ${soon === 1 ? 'it' : 'them'} before the jobs that use ${soon === 1 ? 'it' : 'them'} stop working.`;
}
