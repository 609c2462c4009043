import type { Waiver } from '@waymark/contract';
import { DAY_SECONDS, dayOfSeconds } from '../../lib/day.ts';

/** The last day, in UTC, whose end is within the longest time that the org permits; '' without such a limit. */
export function latestDay(now: number, maxDays: number | null): string {
  return maxDays === null ? '' : dayOfSeconds(now + maxDays * DAY_SECONDS + 1 - DAY_SECONDS);
}

/** The last day of a renewed waiver: as long as the one before, from now, and never longer than the org permits. */
export function renewedUntil(
  { timestamp, expires_at }: Pick<Waiver, 'timestamp' | 'expires_at'>,
  now: number,
  maxDays: number | null,
): string {
  const latest = latestDay(now, maxDays);
  if (expires_at === null) return latest;
  const days = Math.max(1, Math.round((expires_at - timestamp) / DAY_SECONDS));
  const day = dayOfSeconds(now + days * DAY_SECONDS);
  return latest !== '' && latest < day ? latest : day;
}
