import { InvalidArgumentError } from '@commander-js/extra-typings';
import { usageError } from '../run/cli-error.ts';
import { durationIn, MAX_MS, readDuration, TOO_LONG } from '../run/duration.ts';
import type { Session } from '../run/session.ts';

/** For flags that can be repeated. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

export function readYesNo(text: string): 'true' | 'false' {
  if (/^(true|yes)$/i.test(text)) return 'true';
  if (/^(false|no)$/i.test(text)) return 'false';
  throw new InvalidArgumentError('It must be yes or no.');
}

/** Seconds, for what the API counts in seconds. */
export function readSeconds(text: string): number {
  try {
    return Math.round(readDuration(text) / 1000);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? `It ${error.message}.` : '');
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** `7d` is that long ago; a date or a time is absolute. In seconds since 1970. */
export function pastMoment(session: Session, flag: string, text: string): number {
  return momentOf(session, flag, text, -1);
}

/** `7d` is that far in the future. */
export function comingMoment(session: Session, flag: string, text: string): number {
  return momentOf(session, flag, text, 1);
}

function momentOf({ io }: Session, flag: string, text: string, direction: 1 | -1): number {
  if (DAY.test(text) && !Number.isNaN(Date.parse(text))) return Date.parse(text) / 1000;
  const ms = durationIn(text);
  if (ms !== undefined && ms <= MAX_MS) return Math.floor((io.now().getTime() + direction * ms) / 1000);
  throw usageError(
    ms === undefined ? `${flag} must be a duration or a time, not '${text}'` : `${flag} ${TOO_LONG}, or a time`,
    `Use a value such as 12h, 7d, 2026-11-01, or 2026-11-01T12:00:00Z`,
  );
}

export function timesOf(
  session: Session,
  { since, until }: { since?: string | undefined; until?: string | undefined },
): { from?: number; to?: number } {
  return {
    ...(since !== undefined && { from: pastMoment(session, '--since', since) }),
    ...(until !== undefined && { to: pastMoment(session, '--until', until) }),
  };
}

/** Returns only the given values, so that no others are sent. */
export function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** `key=value`, as often as given. */
export function readPairs(what: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw usageError(`${what} must be key=value, not '${text}'`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
