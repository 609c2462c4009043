import type { Ending } from '../../run/exit-codes.ts';

export interface Check {
  readonly name: string;
  readonly status: 'passed' | 'warned' | 'failed' | 'skipped';
  /** What was found. */
  readonly found: string;
  readonly fix?: string;
  /** What kind of failure it is. */
  readonly ending?: Extract<Ending, 'unavailable' | 'denied' | 'usage'>;
}

type Nature = NonNullable<Check['ending']>;

export const passed = (name: string, found: string): Check => ({ name, status: 'passed', found });
export const skipped = (name: string, found: string): Check => ({ name, status: 'skipped', found });
/** Nothing is wrong, unless more is wanted. */
export const warned = (name: string, found: string, fix: string): Check => ({ name, status: 'warned', found, fix });
export const failed = (name: string, ending: Nature, found: string, fix: string): Check => ({
  name,
  status: 'failed',
  found,
  fix,
  ending,
});

/** The last word of an error: what fetch says itself is only that it failed. */
export function reasonOf(error: unknown): string {
  let reason = 'unknown';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    reason = cause.message || (cause as NodeJS.ErrnoException).code || reason;
  }
  return reason;
}
