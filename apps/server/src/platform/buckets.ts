import { invalidField } from './errors.ts';

export const BUCKETS_MAX = 400;
const DAY_S = 86_400;
const SECONDS = { hour: 3_600, day: DAY_S, week: 7 * DAY_S };
type BucketInterval = keyof typeof SECONDS;

/** 1970 began on a Thursday; the Monday after it was the fifth of January. */
const FIRST_MONDAY_S = 4 * DAY_S;

export interface Buckets {
  readonly from: Date;
  readonly to: Date;
  /** The start of the first bucket, which may be before the window. */
  readonly first: Date;
  readonly seconds: number;
  readonly count: number;
}

/** The hours, the days, or the weeks from Monday on, that a window touches, in UTC. */
export function bucketsOf(from: Date, to: Date, interval: BucketInterval): Buckets {
  const seconds = SECONDS[interval];
  const startOf = (at: Date) => {
    const shift = interval === 'week' ? FIRST_MONDAY_S : 0;
    return Math.floor((at.getTime() / 1000 - shift) / seconds) * seconds + shift;
  };
  const first = startOf(from);
  const count = (startOf(to) - first) / seconds + 1;
  if (count > BUCKETS_MAX) {
    throw invalidField('query.from', `is too early: a window can have at most ${BUCKETS_MAX} ${interval}s`);
  }
  return { from, to, first: new Date(first * 1000), seconds, count };
}
