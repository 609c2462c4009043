import { DAY_SECONDS as DAY, dayStart } from '../../lib/day.ts';

/** The period that a page covers. Dates are days in UTC, the last one included. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The given dates, or the last `days` until the end of today. */
export function windowOf(from: string | undefined, to: string | undefined, now: number, days: number): Window {
  const end = (dayStart(to) ?? Math.floor(now / DAY) * DAY) + DAY;
  const start = dayStart(from) ?? end - days * DAY;
  return { from: Math.min(start, end - DAY), to: end };
}

const DAILY_MAX = 60;

/** The interval of the counts: more days than this would be too many to see, and for the server to return. */
export function intervalOf(window: Window): 'day' | 'week' {
  return daysIn(window) > DAILY_MAX ? 'week' : 'day';
}

export function daysIn({ from, to }: Window): number {
  return Math.round((to - from) / DAY);
}
