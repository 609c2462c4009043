import { DAY_SECONDS as DAY, dayStart } from '../../lib/day.ts';

/** The stretch of time that a page is about. Dates are days of UTC, the last one included. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The given dates, or else the last `days` until the end of today. */
export function windowOf(from: string | undefined, to: string | undefined, now: number, days: number): Window {
  const end = (dayStart(to) ?? Math.floor(now / DAY) * DAY) + DAY;
  const start = dayStart(from) ?? end - days * DAY;
  return { from: Math.min(start, end - DAY), to: end };
}

const DAILY_MAX = 60;

/** By what deployments are counted: so many single days would be too many to see, and for the server to answer. */
export function intervalOf(window: Window): 'day' | 'week' {
  return daysIn(window) > DAILY_MAX ? 'week' : 'day';
}

export function daysIn({ from, to }: Window): number {
  return Math.round((to - from) / DAY);
}
