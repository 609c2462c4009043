import { DAY_SECONDS, dayEnd, dayOfSeconds, dayStart } from '../../../lib/day.ts';

export type CountInterval = 'hour' | 'day' | 'week';

export interface CountedPeriod {
  readonly from: number;
  readonly to: number;
  readonly interval: CountInterval;
}

const SHOWN_DAYS = 30;
const HOURLY_DAYS = 3;
const DAILY_DAYS = 60;
/** As many as the server counts in one response, less one, as the first may begin in the middle of a week. */
const WEEKS_MAX = 399;

/** The given days, or the last 30, in intervals that are few enough to see. */
export function countedPeriod(from: string | undefined, to: string | undefined, now: number): CountedPeriod {
  const last = dayEnd(to) ?? dayEnd(dayOfSeconds(now)) ?? now;
  const end = last + 1;
  const asked = dayStart(from) ?? end - SHOWN_DAYS * DAY_SECONDS;
  const start = Math.max(Math.min(asked, end - DAY_SECONDS), end - WEEKS_MAX * 7 * DAY_SECONDS, 0);
  const days = (end - start) / DAY_SECONDS;
  return { from: start, to: last, interval: days <= HOURLY_DAYS ? 'hour' : days <= DAILY_DAYS ? 'day' : 'week' };
}

/** The last day of the interval that begins then. */
export function lastDayOf(start: number, interval: 'day' | 'week'): string {
  return dayOfSeconds(start + (interval === 'week' ? 6 * DAY_SECONDS : 0));
}
