import { ApiError, UnreachableError } from './errors.ts';
import type { Settings } from './options.ts';
import type { Pace } from './pace.ts';
import type { PreparedRequest } from './request.ts';
import { AttemptFailure, attempt } from './send.ts';

const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 10_000;
/** A longer wait is reported to the caller instead. */
const MAX_RETRY_AFTER_SECONDS = 60;
const PASSING = new Set([429, 502, 503, 504]);

/** Sends until there is a response, as often as the settings allow and where a repeat is harmless. */
export async function sendWithRetries<T>(
  settings: Settings,
  pace: Pace,
  request: PreparedRequest,
  signal: AbortSignal | undefined,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(settings, pace, request, signal, read);
    } catch (error) {
      const mayRepeat = request.isRepeatable && attempts <= settings.retries;
      const waitMs = mayRepeat ? waitAfter(error, attempts, pace.random()) : undefined;
      if (waitMs === undefined) throw finalError(error, settings, attempts);
      settings.onRetry?.({ attempt: attempts, waitMs, reason: reasonFor(error), operation: request.operation });
      await pace.sleep(waitMs, signal);
    }
  }
}

/** Returns how long to wait after a transient failure; undefined for a permanent one. */
function waitAfter(error: unknown, attempts: number, random: number): number | undefined {
  if (error instanceof AttemptFailure) return jitter(attempts, random);
  if (!(error instanceof ApiError) || !PASSING.has(error.status)) return undefined;
  const seconds = error.retryAfterSeconds ?? 0;
  if (seconds > MAX_RETRY_AFTER_SECONDS) return undefined;
  // All clients are given the same time, and should not return at once.
  return seconds * 1000 + jitter(attempts, random);
}

/** A random delay up to a bound that doubles, so that clients which failed together spread out. */
export function jitter(attempts: number, random: number): number {
  return Math.floor(random * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1)));
}

function reasonFor(error: unknown): string {
  if (error instanceof ApiError) return `${error.status}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

function finalError(error: unknown, { baseUrl }: Settings, attempts: number): unknown {
  if (!(error instanceof AttemptFailure)) return error;
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return new UnreachableError(
    `${baseUrl} cannot be reached: ${error.message} (${tries})`,
    attempts,
    error.cause ?? error,
  );
}
