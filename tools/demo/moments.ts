export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const HISTORY_DAYS = 90;

export function plus(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

export function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

/** When the stories of the history happen, all counted back from the one base time. */
export function storyTimes(now: Date) {
  const ago = (days: number, hours = 0, minutes = 0) => plus(now, -(days * DAY + hours * HOUR + minutes * MINUTE));
  return {
    now,
    ago,
    founded: ago(HISTORY_DAYS),
    baselineSecond: ago(62),
    releaseSecond: ago(45),
    releaseThird: ago(20),
    lateSbom: ago(33),
    driftBegins: ago(21),
    incident: ago(9),
    stagingWentStale: ago(5, 2),
    stagingReturned: plus(ago(5, 2), 3.5 * HOUR),
    batchWentStale: ago(0, 11),
    violation: ago(0, 3),
  };
}

export type StoryTimes = ReturnType<typeof storyTimes>;
