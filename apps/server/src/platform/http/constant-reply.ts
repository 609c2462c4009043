import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Contract, Reply } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lazy } from '../lazy.ts';
import type { App } from './app.ts';
import { sendCompressed, takesGzip } from './compressed.ts';
import { isNamedIn } from './etag.ts';
import { limitByAddress, readHead } from './handle.ts';
import { requestsOf } from './rate-limit.ts';
import { routeUrl } from './route-url.ts';

type ConstantContract = Contract & {
  readonly method: 'GET';
  readonly status: 200;
  readonly access: 'public';
  readonly conditional: true;
};

interface Constant {
  readonly url: string;
  readonly type: string;
  readonly write: () => string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Refuses methods and queries that the route does not support. */
  readonly check?: (request: FastifyRequest) => void;
}

/** Mounts a public response that stays the same while the server runs. */
export function handleConstant<C extends ConstantContract>(
  app: App,
  contract: C,
  make: () => Reply<C>,
  headers: Readonly<Record<string, string>> = {},
): void {
  const write = () => JSON.stringify(contract.reply.parse(make()));
  serveConstant(app, {
    url: routeUrl(contract),
    type: 'application/json',
    write,
    headers,
    check: (request) => readHead(contract, request),
  });
}

/** A server that has just started first answers the requests that waited for it. */
const WRITTEN_AFTER_MS = 2_000;

/**
 * It is written and compressed once, soon after the start or at the first request: anyone may request it, so every
 * further response must cost next to nothing, and writing it would delay all other requests.
 */
export function serveConstant(app: App, { url, type, write, headers = {}, check }: Constant): void {
  const constant = lazy(() => {
    const content = Buffer.from(write());
    return { content, gzipped: gzipSync(content, { level: 9 }), etag: `"${hash('sha256', content, 'hex')}"` };
  });
  let soon: NodeJS.Timeout | undefined;
  app.http.addHook('onListen', async () => {
    soon = setTimeout(constant, WRITTEN_AFTER_MS).unref();
  });
  app.http.addHook('onClose', async () => clearTimeout(soon));
  app.http.get(
    url,
    { onRequest: async (request: FastifyRequest, reply: FastifyReply) => limitByAddress(app, request, reply) },
    (request, reply) => {
      check?.(request);
      const { etag, ...body } = constant();
      reply.headers({ etag, 'cache-control': 'public, no-cache', ...headers });
      if (isNamedIn(request.headers['if-none-match'], etag)) return reply.code(304).send();
      limitByAddress(app, request, reply, requestsOf(takesGzip(request) ? body.gzipped.length : body.content.length));
      return sendCompressed(request, reply.type(`${type}; charset=utf-8`), body);
    },
  );
}
