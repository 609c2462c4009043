import { MAX_REPORT_DAYS } from '@waymark/contract';
import { invalidField } from '../../../platform/errors.ts';
import { fromEpochSeconds } from '../../../platform/time.ts';

export interface Period {
  readonly from: Date;
  readonly to: Date;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 30;

/** The requested period: until now at the latest, and 30 days long by default. */
export function periodOf(asked: { from?: number | '' | undefined; to?: number | '' | undefined }, now: Date): Period {
  const wanted = momentOf(asked.to) ?? now;
  const to = wanted < now ? wanted : now;
  const from = momentOf(asked.from) ?? new Date(to.getTime() - DAYS * DAY_MS);
  if (from >= to)
    throw invalidField('query.from', 'must be before the end of the period, which cannot be in the future');
  if (to.getTime() - from.getTime() > MAX_REPORT_DAYS * DAY_MS) {
    throw invalidField('query.from', `must be at most ${MAX_REPORT_DAYS} days before the end of the period`);
  }
  return { from, to };
}

/** Clients send an empty text for a missing value. */
function momentOf(seconds: number | '' | undefined): Date | undefined {
  return seconds === '' || seconds === undefined ? undefined : fromEpochSeconds(seconds);
}
