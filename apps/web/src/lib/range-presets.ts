import { DAY_SECONDS, dayOfSeconds, dayStart } from './day.ts';

export const RANGE_PRESETS = [
  { days: 1, label: 'Today' },
  { days: 7, label: 'Last 7 days' },
  { days: 30, label: 'Last 30 days' },
  { days: 90, label: 'Last 90 days' },
] as const;

/** The first of the last `days`, today included. */
export function presetStart(days: number, today: string): string {
  return dayOfSeconds((dayStart(today) ?? 0) - (days - 1) * DAY_SECONDS);
}

/** The preset that a period is, 0 without one, and undefined for any other period. */
export function presetOf(from: string | undefined, to: string | undefined, today: string): number | undefined {
  if (from === undefined && to === undefined) return 0;
  if (to !== undefined && to !== today) return undefined;
  return RANGE_PRESETS.find(({ days }) => presetStart(days, today) === from)?.days;
}
