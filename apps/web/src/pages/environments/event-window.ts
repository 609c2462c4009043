import { DAY_SECONDS, dayEnd, dayOfSeconds, dayStart } from '../../lib/day.ts';

/** A stretch of whole days of UTC, in seconds since 1970, both ends included. */
export interface EventWindow {
  readonly from: number;
  readonly to: number;
  readonly days: number;
}

const SHOWN_DAYS = 30;
/** What the server counts in one answer. */
const DAYS_MAX = 400;

/** The days that were asked for, or else the last thirty. What is longer than the server counts begins later. */
export function eventWindow(from: string | undefined, to: string | undefined, now: number): EventWindow {
  const end = dayEnd(to) ?? dayEnd(dayOfSeconds(now)) ?? now;
  const last = end + 1;
  const asked = dayStart(from) ?? last - SHOWN_DAYS * DAY_SECONDS;
  const start = Math.max(Math.min(asked, last - DAY_SECONDS), last - DAYS_MAX * DAY_SECONDS);
  return { from: start, to: end, days: Math.round((last - start) / DAY_SECONDS) };
}
