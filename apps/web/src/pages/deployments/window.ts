const DAY = 86_400;

/** The stretch of time that a page is about. Dates are days of UTC, the last one included. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** `2026-11-15` as the second in which that day begins; undefined for what is no day. */
export function startOfDay(date: string | undefined): number | undefined {
  if (date === undefined || !/^\d{4}-\d\d-\d\d$/.test(date)) return undefined;
  const ms = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

export function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** The given dates, or else the last `days` until the end of today. */
export function windowOf(from: string | undefined, to: string | undefined, now: number, days: number): Window {
  const end = (startOfDay(to) ?? Math.floor(now / DAY) * DAY) + DAY;
  const start = startOfDay(from) ?? end - days * DAY;
  return { from: Math.min(start, end - DAY), to: end };
}

export function daysIn({ from, to }: Window): number {
  return Math.round((to - from) / DAY);
}
