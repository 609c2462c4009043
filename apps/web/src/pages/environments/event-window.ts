import { DAY_SECONDS, dayEnd, dayOfSeconds, dayStart } from '../../lib/day.ts';

/** A period of whole days in UTC, in seconds since 1970, both ends included. */
export interface EventWindow {
  readonly from: number;
  readonly to: number;
  readonly days: number;
}

const SHOWN_DAYS = 30;
/** The most that the server counts in one response. */
const DAYS_MAX = 400;

/** The given days, or the last thirty. A period longer than the server counts begins later. */
export function eventWindow(from: string | undefined, to: string | undefined, now: number): EventWindow {
  const end = dayEnd(to) ?? dayEnd(dayOfSeconds(now)) ?? now;
  const last = end + 1;
  const asked = dayStart(from) ?? last - SHOWN_DAYS * DAY_SECONDS;
  const start = Math.max(Math.min(asked, last - DAY_SECONDS), last - DAYS_MAX * DAY_SECONDS);
  return { from: start, to: end, days: Math.round((last - start) / DAY_SECONDS) };
}
