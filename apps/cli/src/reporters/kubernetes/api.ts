import { CliError } from '../../run/cli-error.ts';
import type { Ending } from '../../run/exit-codes.ts';
import { plainText } from '../report.ts';

export type Query = Readonly<Record<string, string | undefined>>;

/** The part of a cluster's API that reporters use. */
export interface KubernetesApi {
  get(path: string, query: Query, signal?: AbortSignal): Promise<unknown>;
  /** The events of a watch, until the server ends it. Throws when the connection breaks. */
  watch(path: string, query: Query, options: WatchOptions): AsyncIterable<unknown>;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** A connection without data for so long is dead. */
  readonly idleMs: number;
  readonly onOpen: () => void;
}

/** A refusal of the cluster, or no answer at all. `status` is 0 when there was no answer. */
export class KubernetesError extends CliError {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    what: string,
    details: { why?: string; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    const { why, retryAfterSeconds, cause } = details;
    const fix = FIXES[status];
    super(ENDINGS[status] ?? 'unavailable', what, {
      ...(why && { why: plainText(why, 500) }),
      ...(fix && { fix }),
      cause,
    });
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const ENDINGS: Readonly<Record<number, Ending>> = { 401: 'denied', 403: 'denied', 404: 'notFound' };

const FIXES: Readonly<Partial<Record<number, string>>> = {
  401: 'The credential for the cluster is missing, wrong, or expired',
  403: 'Grant the verbs get, list, and watch on pods, in the reported namespaces or in all',
};

/** The message of a `Status`, which is how the API server refuses. */
export function refusalOf(status: number, body: unknown, retryAfterSeconds?: number): KubernetesError {
  const { message } = (body ?? {}) as { message?: unknown };
  return new KubernetesError(status, `The cluster refused to list its pods (${status})`, {
    ...(typeof message === 'string' && { why: message }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

export function isGone(error: unknown): boolean {
  return error instanceof KubernetesError && error.status === 410;
}

/** Whether a retry may succeed without any change. */
export function isPassing(error: unknown): boolean {
  return error instanceof KubernetesError && error.ending === 'unavailable';
}
