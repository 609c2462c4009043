/** Seconds before each attempt, counted from the one before: the schedule that Standard Webhooks proposes, about 75 hours. */
export const RETRY_SECONDS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** How many seconds a target is paused, by its failures in a row; the last value applies to all further failures. */
export const PAUSE_SECONDS = [5, 30, 60, 120, 240, 480, 900] as const;

const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = 24 * 3_600_000;

/** As HTTP writes dates since 1995; the two older forms are ambiguous. */
const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns how long to wait after so many failed attempts; undefined after the last. `random` is in [0, 1) and spreads
 * it by 20 %.
 */
export function retryWaitMs(tries: number, random: number): number | undefined {
  const seconds = RETRY_SECONDS[tries];
  return seconds === undefined ? undefined : spread(seconds, random);
}

/** Returns how long a target is paused after so many failures in a row, at least one. */
export function pauseMs(failures: number, random: number): number {
  const seconds = PAUSE_SECONDS[failures - 1] ?? PAUSE_SECONDS[PAUSE_SECONDS.length - 1] ?? 0;
  return spread(seconds, random);
}

/** Returns the seconds of a `Retry-After`, at most a day; null when it is missing or invalid. */
export function retryAfterMs(header: string | null, now: Date): number | null {
  const asked = askedMs(header?.trim() ?? '', now);
  return asked === null || !(asked > 0) ? null : Math.min(asked, RETRY_AFTER_MAX_MS);
}

function askedMs(header: string, now: Date): number | null {
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  return HTTP_DATE.test(header) ? Date.parse(header) - now.getTime() : null;
}

function spread(seconds: number, random: number): number {
  return Math.round(seconds * 1_000 * (1 - JITTER + 2 * JITTER * random));
}
