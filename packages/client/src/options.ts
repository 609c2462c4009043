import { InvalidInputError } from './errors.ts';

export interface Retry {
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  readonly reason: string;
  /** The id of the contract. */
  readonly operation: string;
}

/** One request and its result. Holds no header, no body and no key. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  readonly ms: number;
  readonly requestId?: string | null;
  readonly error?: string;
}

export interface ClientOptions {
  /** Including the path prefix, for example `https://waymark.example.com/api/v2`. In a browser `/api/v2` will do. */
  readonly baseUrl: string;
  /** A key, or a function that returns one: called before each attempt. */
  readonly apiKey?: string | (() => Promise<string | undefined>) | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly userAgent?: string | undefined;
  /** Per attempt. A file adds a second for each 256 KiB. */
  readonly timeoutMs?: number | undefined;
  /** The number of retries of a call. */
  readonly retries?: number | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
}

export type Settings = ClientOptions & {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly retries: number;
};

export function settingsFrom(options: ClientOptions): Settings {
  const { timeoutMs = 30_000, retries = 3 } = options;
  return { ...options, timeoutMs, retries, baseUrl: checkedBase(options.baseUrl) };
}

function checkedBase(baseUrl: string): string {
  if (!baseUrl.startsWith('/')) {
    const url = URL.parse(baseUrl);
    if (!url || !/^https?:$/.test(url.protocol)) throw new InvalidInputError('baseUrl', 'must be an http(s) address');
    if (url.username || url.password) throw new InvalidInputError('baseUrl', 'must not hold a user name or password');
    if (url.search || url.hash) throw new InvalidInputError('baseUrl', 'must end with its path');
  }
  return baseUrl.replace(/\/+$/, '');
}
