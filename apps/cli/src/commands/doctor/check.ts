import type { Ending } from '../../run/exit-codes.ts';

export interface Check {
  readonly name: string;
  readonly status: 'passed' | 'warned' | 'failed' | 'skipped';
  /** The finding. */
  readonly found: string;
  readonly fix?: string;
  /** The kind of failure. */
  readonly ending?: Extract<Ending, 'unavailable' | 'denied' | 'usage'>;
}

type Nature = NonNullable<Check['ending']>;

export const passed = (name: string, found: string): Check => ({ name, status: 'passed', found });
export const skipped = (name: string, found: string): Check => ({ name, status: 'skipped', found });
/** Nothing is wrong, but the user may want more. */
export const warned = (name: string, found: string, fix: string): Check => ({ name, status: 'warned', found, fix });
export const failed = (name: string, ending: Nature, found: string, fix: string): Check => ({
  name,
  status: 'failed',
  found,
  fix,
  ending,
});

/** Returns the innermost cause of an error: fetch itself only says that it failed. */
export function reasonOf(error: unknown): string {
  let reason = 'unknown';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    reason = cause.message || (cause as NodeJS.ErrnoException).code || reason;
  }
  return reason;
}
