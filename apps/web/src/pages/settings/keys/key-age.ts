import { DAY_SECONDS } from '../../../lib/day.ts';
import { ago } from '../../../lib/time.ts';

/** Soon enough that somebody should do something about it. */
export const WARN_DAYS = 14;
const COUNTED_DAYS = 120;

export interface KeyAge {
  readonly state: 'expired' | 'soon' | 'good' | 'endless';
  /** Such as `expires in 3 weeks`. */
  readonly says: string;
  /** How much of its life is over, from 0 to 1; null when it has no end. */
  readonly share: number | null;
}

interface Dates {
  readonly created_at: number;
  /** 0 when it never expires. */
  readonly expires_at: number;
}

export function keyAge({ created_at, expires_at }: Dates, now: number): KeyAge {
  if (expires_at === 0) return { state: 'endless', says: 'never expires', share: null };
  if (expires_at <= now) return { state: 'expired', says: `expired ${ago(expires_at, now)}`, share: 1 };
  const share = Math.min(1, Math.max(0, (now - created_at) / Math.max(1, expires_at - created_at)));
  const isSoon = expires_at - now <= WARN_DAYS * DAY_SECONDS;
  return { state: isSoon ? 'soon' : 'good', says: `expires ${timeLeft(expires_at, now)}`, share };
}

/** In days as long as people count in them: a month or two is too coarse to plan with. */
function timeLeft(at: number, now: number): string {
  const days = Math.trunc((at - now) / DAY_SECONDS);
  return days >= 7 && days <= COUNTED_DAYS ? `in ${days} days` : ago(at, now);
}

/** What the list as a whole asks of its reader; null when that is nothing. */
export function keysWarning(keys: readonly Dates[], now: number): string | null {
  const soon = keys.filter((key) => keyAge(key, now).state === 'soon').length;
  if (soon === 0) return null;
  return `${soon} of ${keys.length} ${keys.length === 1 ? 'key' : 'keys'} ${soon === 1 ? 'expires' : 'expire'} within ${WARN_DAYS} days. Rotate ${soon === 1 ? 'it' : 'them'} before what uses ${soon === 1 ? 'it' : 'them'} stops working.`;
}
