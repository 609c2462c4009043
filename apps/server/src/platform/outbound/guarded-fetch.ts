import { finished } from 'node:stream/promises';
import { Client, type Dispatcher } from 'undici';
import { present } from '../present.ts';
import { parseDenied } from './denied.ts';
import { type Dial, dialPinned, guardedConnect } from './guarded-connect.ts';
import { OutboundError } from './outbound-error.ts';
import { hostOf, parseOutboundUrl } from './outbound-url.ts';
import { parseNetworks } from './public-address.ts';
import { type FindName, namesOf, systemNames } from './resolve-name.ts';

export interface GuardedFetchOptions {
  /** CIDRs besides the public internet that the operator permits. Only there are http and any port and name allowed. */
  readonly allowedNetworks: readonly string[];
  /** CIDRs, addresses and domain names that are never called, even if they are in a permitted network. */
  readonly denied?: readonly string[];
  /** Addresses of DNS servers to ask in place of the system's, and of its hosts file. */
  readonly dnsServers?: readonly string[];
  /** For the whole request, from resolving the name to the last byte of the body. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** How names are resolved and connections opened, for tests. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly dial?: Dial;
}

/**
 * A `fetch` for URLs that customers give. Redirects are never followed: a 3xx is an answer like any other, as with
 * `redirect: 'manual'`, and with `redirect: 'error'` it fails. The promise settles when the whole body has arrived.
 */
export type GuardedFetch = (input: string | URL, init?: GuardedInit) => Promise<Response>;

/** As in `fetch`, where a client library may also pass undefined. */
type GuardedInit = { [Name in keyof RequestInit]?: RequestInit[Name] | undefined } & {
  /** For callers that only need the status: the body may have any length, and only the limit is read. */
  readonly ignoresBody?: boolean;
};

interface Limits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const maxHeaderBytes = 16 * 1024;

/** Headers that callers cannot set: the host, how the connection is used, and that the response is not compressed. */
const ownHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const bodiless = new Set([204, 205, 304]);

const badCertificate = /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER))/;

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const limits = { timeoutMs: options.timeoutMs ?? 10_000, maxBytes: options.maxBytes ?? 64 * 1024 };
  const guard = {
    networks: parseNetworks(options.allowedNetworks),
    denied: parseDenied(options.denied ?? []),
    findName: namesFor(options),
    dial: options.dial ?? dialPinned(limits),
  };

  return async (input, { ignoresBody = false, ...init } = {}) => {
    const url = parseOutboundUrl(String(input));
    const request = new Request(url, present({ ...init, redirect: 'manual' as const }));
    const deadline = AbortSignal.timeout(limits.timeoutMs);
    const signal = AbortSignal.any([deadline, request.signal]);
    signal.throwIfAborted();

    // One client per request: a reused connection would not be checked again.
    const client = new Client(url.origin, {
      connect: guardedConnect(url, guard, signal),
      pipelining: 0,
      allowH2: false,
      maxHeaderSize: maxHeaderBytes,
      maxResponseSize: limits.maxBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const stop = () => void client.destroy(new Error('Stopped', { cause: signal.reason }));
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await exchange(client, url, request, {
        ...limits,
        ignoresBody,
        refuseRedirect: init.redirect === 'error',
      });
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      throw deadline.aborted ? timedOut(url, limits) : explained(error, url, limits);
    } finally {
      signal.removeEventListener('abort', stop);
      await client.destroy();
    }
  };
}

function namesFor({ resolve, dnsServers = [] }: GuardedFetchOptions): FindName {
  if (resolve) return async (host) => ({ addresses: await resolve(host), aliases: Promise.resolve([]) });
  return dnsServers.length > 0 ? namesOf(dnsServers) : systemNames();
}

interface Terms extends Limits {
  readonly refuseRedirect: boolean;
  readonly ignoresBody: boolean;
}

async function exchange(client: Client, url: URL, request: Request, terms: Terms): Promise<Response> {
  const answer = await client.request({
    method: request.method as Dispatcher.HttpMethod,
    path: url.pathname + url.search,
    headers: { ...headersOf(request), 'accept-encoding': 'identity' },
    body: request.body ? new Uint8Array(await request.arrayBuffer()) : null,
  });
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headers)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  if (terms.ignoresBody) {
    await discard(answer.body);
    return new Response(null, { status: answer.statusCode, headers });
  }
  // Nothing is decompressed here, so that a small response cannot become large.
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') throw new Error('The response is compressed');
  if (terms.refuseRedirect && answer.statusCode >= 300 && answer.statusCode < 400) {
    throw new Error('The response is a redirect');
  }
  if (Number(headers.get('content-length')) > terms.maxBytes) throw tooLarge(url, terms);

  const body = await answer.body.arrayBuffer();
  return new Response(bodiless.has(answer.statusCode) ? null : body, { status: answer.statusCode, headers });
}

/** A truncated body is a failure; one that is too long is not. */
async function discard(body: Dispatcher.ResponseData['body']): Promise<void> {
  try {
    await finished(body.resume());
  } catch (error) {
    if (codeOf(error) !== 'UND_ERR_RES_EXCEEDED_MAX_SIZE') throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function headersOf(request: Request): Record<string, string> {
  return Object.fromEntries([...request.headers].filter(([name]) => !ownHeaders.has(name)));
}

function explained(error: unknown, url: URL, limits: Limits): OutboundError {
  if (error instanceof OutboundError) return error;
  const host = hostOf(url);
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return timedOut(url, limits, error);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLarge(url, limits, error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return new OutboundError('too_large', `${host} sent too many headers`, error);
  }
  if (badCertificate.test(code)) {
    return new OutboundError('failed', `The certificate of ${host} is not valid or not trusted`, error);
  }
  // One message for refused, reset and garbled: told apart, they would reveal what listens there.
  return new OutboundError('failed', `${host} cannot be reached or sent an unexpected response`, error);
}

function tooLarge(url: URL, limits: Limits, cause?: unknown): OutboundError {
  return new OutboundError('too_large', `${hostOf(url)} sent more than ${limits.maxBytes} bytes`, cause);
}

function timedOut(url: URL, limits: Limits, cause?: unknown): OutboundError {
  return new OutboundError('timeout', `${hostOf(url)} did not respond within ${limits.timeoutMs / 1000} s`, cause);
}
