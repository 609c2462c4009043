const DAY = /^\d{4}-\d{2}-\d{2}$/;
export const DAY_SECONDS = 86_400;

/** The first second of a day such as `2026-11-01`, in UTC; undefined for anything else. */
export function dayStart(day: string | undefined): number | undefined {
  if (day === undefined || !DAY.test(day)) return undefined;
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : at / 1000;
}

/** The last second of it. */
export function dayEnd(day: string | undefined): number | undefined {
  const start = dayStart(day);
  return start === undefined ? undefined : start + DAY_SECONDS - 1;
}

export function dayOfSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
