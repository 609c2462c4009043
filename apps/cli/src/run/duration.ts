const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
export const MAX_MS = 366 * UNITS.d;

/** `250ms`, `30s`, `5m`, `2h`, `7d`; a number alone is seconds. */
export function readDuration(text: string): number {
  const ms = durationIn(text);
  if (ms === undefined) throw new Error('must be a duration such as 30s, 5m, or 2h');
  if (ms > MAX_MS) throw new Error(TOO_LONG);
  return ms;
}

export const TOO_LONG = 'must be at most a year';

/** In milliseconds; undefined if the text is not a duration. */
export function durationIn(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[(unit ?? 's') as keyof typeof UNITS];
}
