import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { formatConflict, formatCosignatures, originHash, TLOG_SIZE_TYPE } from '@waymark/transparency';
import type { CertificateFiles } from '../http/certificate.ts';
import { openTlsServers, type TlsServers } from '../http/tls-servers.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { type BodyLimit, RefusedBody, readBody } from './read-body.ts';
import type { Outcome, Witness } from './witness.ts';

interface ServerParts {
  readonly witness: Witness;
  /** The vkey, for people and monitors. */
  readonly verifierKey: string;
  readonly logNames: readonly string[];
  readonly tls: CertificateFiles | undefined;
  readonly metrics: Metrics | undefined;
  readonly log: Logger;
  /** Overrides of the default limits. */
  readonly limits?: Partial<WitnessLimits>;
}

export interface WitnessLimits extends BodyLimit {
  /** Requests with a body at once; a log sends one a second. */
  readonly concurrent: number;
}

/** A checkpoint with the largest proof and 16 signatures by ML-DSA fits in. */
const LIMITS: WitnessLimits = { maxBytes: 64 * 1024, withinMs: 10_000, concurrent: 64 };
const KEEP_ALIVE_MS = 75_000;
/** By when Node ends a request that the limits do not end. */
const GRACE_MS = 5_000;
const TEXT = 'text/plain; charset=utf-8';

const ADD = '/add-checkpoint';
const LATEST = '/:origin/checkpoint';
const UNKNOWN = 'unknown';

const STATUSES = {
  cosigned: 200,
  malformed: 400,
  not_signed: 403,
  unknown_log: 404,
  conflict: 409,
  inconsistent: 422,
} as const;

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WitnessServer {
  listen(to: { host: string; port: number }): Promise<{ port: number }>;
  close(): Promise<void>;
}

/** Serves C2SP tlog-witness: `add-checkpoint`, and the latest checkpoint of each log for monitors. */
export async function openWitnessServer(parts: ServerParts): Promise<WitnessServer> {
  const { log, metrics } = parts;
  const limits = { ...LIMITS, ...parts.limits };
  const tls = parts.tls && (await openTlsServers(parts.tls, log));
  const answer = createAnswers(parts, limits);
  const server = serverFor(tls, limits, (request, response) => {
    const begun = performance.now();
    void answer(request).then(({ status, body, type = TEXT, headers }) => {
      response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff', ...headers });
      response.end(body);
      const route = routeOf(request);
      metrics?.countRequest({
        method: request.method ?? '',
        route,
        status,
        seconds: (performance.now() - begun) / 1000,
      });
    });
  });
  return {
    async listen(to) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(to.port, to.host, () => resolve(void server.off('error', reject)));
      });
      return { port: (server.address() as { port: number }).port };
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
      await tls?.stop();
    },
  };
}

function serverFor(
  tls: TlsServers | undefined,
  { withinMs }: WitnessLimits,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const timeouts = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: withinMs + GRACE_MS };
  if (tls) return tls.factory(handler, timeouts) as Server;
  return createServer({ ...timeouts, connectionsCheckingInterval: 1_000 }, handler);
}

function createAnswers({ witness, verifierKey, logNames, log }: ServerParts, limits: WitnessLimits) {
  const checkpoints = new Map(logNames.map((origin) => [`/${originHash(origin)}/checkpoint`, origin]));
  let running = 0;

  async function addCheckpoint(request: IncomingMessage): Promise<Answer> {
    if (running >= limits.concurrent) throw new RefusedBody(503, 'too many requests at once', { 'retry-after': '1' });
    running++;
    try {
      const outcome = await witness.addCheckpoint(await readBody(request, limits));
      report(outcome);
      return answerOf(outcome);
    } finally {
      running--;
    }
  }

  function report(outcome: Outcome): void {
    const { kind, ...details } = outcome;
    if (kind === 'cosigned') log.info({ origin: outcome.origin, size: outcome.size }, 'checkpoint cosigned');
    // The log signed it, so it is evidence against the log.
    else if (kind === 'inconsistent') log.error(details, 'a log signed a checkpoint that does not extend its latest');
    else log.warn({ kind, ...details }, 'checkpoint refused');
  }

  async function latest(path: string): Promise<Answer> {
    const origin = checkpoints.get(path);
    const checkpoint = origin === undefined ? undefined : await witness.latest(origin);
    if (checkpoint === undefined) return { status: 404, body: 'no checkpoint of that log was cosigned\n' };
    return { status: 200, body: checkpoint, headers: { 'cache-control': 'no-cache' } };
  }

  async function route(request: IncomingMessage): Promise<Answer> {
    const route = routeOf(request);
    if (route === UNKNOWN) return { status: 404, body: 'not found\n' };
    const methods = route === ADD ? ['POST'] : ['GET', 'HEAD'];
    if (!methods.includes(request.method ?? '')) {
      return { status: 405, body: 'method not allowed\n', headers: { allow: methods.join(', ') } };
    }
    if (route === ADD) return addCheckpoint(request);
    return route === LATEST ? latest(pathOf(request)) : { status: 200, body: `${verifierKey}\n` };
  }

  return async (request: IncomingMessage): Promise<Answer> => {
    try {
      return await route(request);
    } catch (error) {
      if (error instanceof RefusedBody)
        return { status: error.status, body: `${error.message}\n`, headers: error.headers };
      log.error({ err: error }, 'request failed');
      return { status: 500, body: 'the checkpoint was not cosigned: see the log of the witness\n' };
    }
  };
}

function answerOf(outcome: Outcome): Answer {
  const status = STATUSES[outcome.kind];
  if (outcome.kind === 'cosigned') return { status, body: formatCosignatures([outcome.signature]) };
  if (outcome.kind === 'conflict') return { status, body: formatConflict(outcome.size), type: TLOG_SIZE_TYPE };
  return { status, body: `${outcome.problem}\n` };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}

/** As metrics name it: one value for all logs. */
function routeOf(request: IncomingMessage): string {
  const path = pathOf(request);
  if (path === '/' || path === ADD) return path;
  return /^\/[0-9a-f]{64}\/checkpoint$/.test(path) ? LATEST : UNKNOWN;
}
