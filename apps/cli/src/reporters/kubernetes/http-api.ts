import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KubernetesApi, KubernetesError, type Query, refusalOf, type WatchOptions } from './api.ts';
import { jsonLines } from './json-lines.ts';

/** The address of the cluster and our credentials. Made for each request, as tokens are short-lived. */
export interface Connection {
  readonly server: string;
  readonly token?: string | undefined;
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  readonly serverName?: string | undefined;
  readonly insecure?: boolean | undefined;
}

/** With `fresh`, a cached credential is replaced: the cluster refused it. */
export type Connect = (options: { fresh: boolean }) => Promise<Connection>;

interface Asking {
  readonly path: string;
  readonly query: Query;
  readonly idleMs: number;
  readonly signal?: AbortSignal | undefined;
}

const ATTEMPTS = 4;
const GET_IDLE_MS = 30_000;
const MAX_BODY_BYTES = 256 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;

export function httpApi(connect: Connect): KubernetesApi {
  return {
    get: (path, query, signal) =>
      withRetries(signal, async () => {
        const answer = await ask(connect, { path, query, idleMs: GET_IDLE_MS, signal });
        const body = jsonOrNothing(await bodyOf(answer, MAX_BODY_BYTES));
        if (body === undefined)
          throw new KubernetesError(406, 'The server is not a Kubernetes API server: the response is not JSON');
        return body;
      }),
    watch: (path, query, options) => events(connect, path, query, options),
  };
}

async function* events(connect: Connect, path: string, query: Query, options: WatchOptions): AsyncGenerator<unknown> {
  const { signal, idleMs, onOpen } = options;
  const answer = await ask(connect, { path, query, idleMs, signal });
  onOpen();
  try {
    yield* jsonLines(answer);
  } catch (cause) {
    signal.throwIfAborted();
    throw unreachable(cause);
  } finally {
    answer.destroy();
  }
}

async function withRetries<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === ATTEMPTS || !(error instanceof KubernetesError && isPassing(error.status))) throw error;
      const wait = error.retryAfterSeconds ?? Math.random() * 0.2 * 2 ** attempt;
      await sleep(Math.min(wait, 10) * 1000, undefined, signal && { signal });
    }
  }
}

function isPassing(status: number): boolean {
  return status === 0 || status === 429 || status >= 500;
}

async function ask(connect: Connect, asking: Asking): Promise<IncomingMessage> {
  const answer = await send(await connect({ fresh: false }), asking);
  if (answer.statusCode !== 401) return accepted(answer);
  answer.destroy();
  return accepted(await send(await connect({ fresh: true }), asking));
}

async function accepted(answer: IncomingMessage): Promise<IncomingMessage> {
  const status = answer.statusCode ?? 0;
  if (status === 200) return answer;
  const body = await bodyOf(answer, MAX_REFUSAL_BYTES).then(jsonOrNothing, () => undefined);
  const retryAfter = Number(answer.headers['retry-after'] ?? Number.NaN);
  throw refusalOf(status, body, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

function jsonOrNothing(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function send(connection: Connection, { path, query, idleMs, signal }: Asking): Promise<IncomingMessage> {
  const { server, token, ca, cert, key, serverName, insecure } = connection;
  const url = addressOf(server, path, query);
  const isSecure = url.protocol === 'https:';
  if (!isSecure && token !== undefined && !isLoopback(url.hostname)) {
    throw new KubernetesError(401, `${server} is not https, so the token would be sent unencrypted`);
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = (isSecure ? secureRequest : plainRequest)(url, {
    agent: false,
    headers: { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    timeout: idleMs,
    ...(signal && { signal }),
    ...(isSecure && {
      ca,
      cert,
      key,
      ...(serverName !== undefined && { servername: serverName }),
      rejectUnauthorized: insecure !== true,
    }),
  });
  sent.on('timeout', () => sent.destroy(new Error(`no data for ${Math.round(idleMs / 1000)} seconds`)));
  sent.on('response', resolve);
  sent.on('error', (cause) => reject(signal?.aborted ? signal.reason : unreachable(cause)));
  sent.end();
  return promise;
}

function addressOf(server: string, path: string, query: Query): URL {
  const url = new URL(server);
  url.pathname = url.pathname.replace(/\/$/, '') + path;
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new KubernetesError(413, `The response of the cluster exceeds ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    throw unreachable(cause);
  }
  return Buffer.concat(chunks);
}

function unreachable(cause: unknown): KubernetesError {
  if (cause instanceof KubernetesError) return cause;
  const why = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause);
  return new KubernetesError(0, 'The cluster cannot be reached', { why, cause });
}
