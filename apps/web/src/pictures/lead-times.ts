/** The quantile of the values, interpolated if necessary; null of none. */
export function quantile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return null;
  return below + (above - below) * (place - Math.floor(place));
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
const STEPS = [60, 600, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY, 365 * DAY];

/** The grid lines of the plot: round times from the step below the minimum to the step above the maximum. */
export function leadTimeSteps(seconds: readonly number[]): number[] {
  const least = Math.min(...seconds);
  const longest = Math.max(...seconds);
  const from = Math.max(
    0,
    STEPS.findLastIndex((step) => step <= least),
  );
  const to = STEPS.findIndex((step) => step >= longest);
  const steps = STEPS.slice(from, to === -1 ? undefined : to + 1);
  if (steps.length > 1) return steps;
  const start = Math.max(0, from - 1);
  return STEPS.slice(start, start + 2);
}
