const DAY = 86_400;

export interface DayCount {
  /** Where the day begins, in UTC. */
  readonly start: number;
  readonly count: number;
}

/** The number on each day from the first to the last, including days with none. */
export function countDays(times: readonly number[]): DayCount[] {
  if (times.length === 0) return [];
  const days = times.map((time) => Math.floor(time / DAY));
  const first = Math.min(...days);
  const counts = Array.from({ length: Math.max(...days) - first + 1 }, () => 0);
  for (const day of days) counts[day - first] = (counts[day - first] ?? 0) + 1;
  return counts.map((count, place) => ({ start: (first + place) * DAY, count }));
}
