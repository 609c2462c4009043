import { invalidField } from '../../../platform/errors.ts';
import type { Parts, Span } from './spans.reads.ts';

const DAY = 86_400_000;
const DEFAULT_WINDOW = 7 * DAY;
const DAYS_MAX = 400;

type QueryTime = number | '' | undefined;

/** The last seven days by default, in milliseconds. The future is not part of it. */
export function windowOf(query: { from?: QueryTime; to?: QueryTime }, now: Date): Span {
  const until = Math.min(momentOf(query.to) ?? now.getTime(), now.getTime());
  const from = momentOf(query.from) ?? Math.max(0, until - DEFAULT_WINDOW);
  if (from >= now.getTime()) throw invalidField('query.from', 'must be in the past');
  if (from >= until) throw invalidField('query.from', 'must be before query.to');
  if (until - from > DAYS_MAX * DAY) {
    throw invalidField('query.from', `is too early: a window can have at most ${DAYS_MAX} days`);
  }
  return { from, until };
}

/** Days in UTC, ending with the one that includes this moment. The last one includes the future. */
export function daysUntil(until: QueryTime, count: number, now: Date): Parts {
  const at = Math.min(momentOf(until) ?? now.getTime(), now.getTime());
  const last = Math.floor(at / DAY) * DAY;
  return { from: last - (count - 1) * DAY, length: DAY, count };
}

/** Seconds with a fraction are not exact; milliseconds are what is stored. */
function momentOf(seconds: QueryTime): number | undefined {
  return seconds === undefined || seconds === '' ? undefined : Math.round(seconds * 1000);
}
