const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MAX_MS = 366 * UNITS.d;

/** `250ms`, `30s`, `5m`, `2h`, `7d`; a number alone is seconds. */
export function readDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (amount === undefined) throw new Error('must be a duration such as 30s, 5m, or 2h');
  const ms = Number(amount) * UNITS[(unit ?? 's') as keyof typeof UNITS];
  if (ms > MAX_MS) throw new Error('must be at most a year');
  return ms;
}
