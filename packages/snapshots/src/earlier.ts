export type Unit = 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'months';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const LENGTHS = { seconds: SECOND, minutes: MINUTE, hours: HOUR, days: DAY, weeks: 7 * DAY } as const;

/** There is no year 0 in PostgreSQL, and nothing ran before that. */
export const EARLIEST = new Date('0001-01-01T00:00:00Z');

/** So long before `now`, but never before the year 1. */
export function earlier(now: Date, amount: number, unit: Unit): Date {
  if (unit === 'months') return monthsEarlier(now, amount);
  return new Date(Math.max(EARLIEST.getTime(), now.getTime() - amount * LENGTHS[unit]));
}

/** The same day and time of day; in a month that has no such day, its last. */
function monthsEarlier(now: Date, amount: number): Date {
  const months = now.getUTCFullYear() * 12 + now.getUTCMonth() - amount;
  const year = Math.floor(months / 12);
  if (year < EARLIEST.getUTCFullYear()) return new Date(EARLIEST);
  const month = months - year * 12;
  const then = new Date(now);
  then.setUTCFullYear(year, month, Math.min(now.getUTCDate(), daysIn(year, month)));
  return then;
}

function daysIn(year: number, month: number): number {
  // Date.UTC takes years below 100 for years of the last century.
  const lastDay = new Date(0);
  lastDay.setUTCFullYear(year, month + 1, 0);
  return lastDay.getUTCDate();
}
