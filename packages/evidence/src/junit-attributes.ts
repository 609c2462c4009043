import type { Tally } from './junit-tally.ts';
import { quoted } from './shorten.ts';

export type Attributes = Readonly<Record<string, string>>;

const MAX_COUNT = 1_000_000_000;

/** The counts that a suite claims. A missing or empty one claims nothing. */
export function claimedBy(attributes: Attributes, refuse: (message: string) => never): Tally {
  const count = (key: string): number => {
    const text = attributes[key]?.trim();
    if (!text) return 0;
    const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
    return value <= MAX_COUNT ? value : refuse(`the attribute ${key} is not a count: ${quoted(text)}`);
  };
  return { failures: count('failures'), errors: count('errors'), skipped: count('skipped'), total: count('tests') };
}

/** Seconds, also with thousands separators as some locales write them. An invalid duration is left out. */
export function secondsIn(attributes: Attributes): number | undefined {
  const text = attributes['time']?.trim() ?? '';
  if (!/^(\d{1,9}|\d{1,3}(,\d{3}){1,2})?(\.\d{1,30})?$/.test(text) || text === '') return undefined;
  return Number(text.replaceAll(',', ''));
}

/** Epoch seconds. A time without a zone is taken as UTC, so that every machine reads it the same. */
export function timestampIn(attributes: Attributes): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/.exec(attributes['timestamp'] ?? '');
  if (!match) return undefined;
  const milliseconds = Date.parse(`${match[1]}${match[3] ?? 'Z'}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}
