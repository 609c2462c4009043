import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Contract, Input } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ctx } from '../ctx.ts';
import { unavailable } from '../errors.ts';
import type { App } from './app.ts';
import { credentialOf } from './credential.ts';
import { contextOf, enter, judgeAgain, readInput } from './handle.ts';
import { routeUrl } from './route-url.ts';
import type { AccessWatch } from './stream-access.ts';

/** Interval of comments on an idle stream, which keep the connection alive through proxies. */
const BEAT_MS = 15_000;
/** How long a client may take to read the rest after its stream ended. */
const FAREWELL_MS = 5_000;

export interface EventStream {
  readonly lastEventId: string | undefined;
  /** Aborted when the client disconnects, loses access, has to make room for others, or the server stops. */
  readonly closed: AbortSignal;
  /** Resolves when the client can take more. */
  send(event: { id?: string; event: string; data: unknown }): Promise<void>;
  /**
   * Resolves after a check of access that is recent and began after `since`, in milliseconds of this process. Closes the
   * stream when the caller has lost access or has another role.
   */
  requireAccess(since?: number): Promise<void>;
}

/**
 * Mounts an operation that sends server-sent events for as long as the handler runs. `prepare` reads whatever must be
 * known about the moment at which the stream begins, before the client sees it begin.
 */
export function handleEvents<C extends Contract, Prepared>(
  app: App,
  contract: C,
  prepare: (ctx: Ctx, closed: AbortSignal) => Promise<Prepared>,
  handler: (ctx: Ctx, input: Input<C>, stream: EventStream, prepared: Prepared) => Promise<void>,
): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const ctx = contextOf(app, request);
      const input = await readInput(app, contract, request, reply);
      const { closing, release } = count(app, request, reply);
      const closed = AbortSignal.any([closing.signal, app.draining]);
      const prepared = await prepare(ctx, closed).catch((error) => {
        release();
        throw closed.aborted ? unavailable('The event stream was ended before it began') : error;
      });
      const { raw } = reply;
      begin(reply);
      if (request.method === 'HEAD') {
        release();
        raw.end();
        return;
      }
      const { write, stop } = writerTo(raw, closed);
      const access = watchAccess(app, contract, request, reply, closing);
      const stream: EventStream = {
        lastEventId: request.headers['last-event-id']?.toString(),
        closed,
        send: ({ id, event, data }) =>
          write(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
        requireAccess: access.require,
      };
      try {
        await handler(ctx, input, stream, prepared);
      } catch (error) {
        // Abandoning work because nobody listens is not a failure.
        if (!closed.aborted) request.log.error({ err: error }, 'event stream failed');
      } finally {
        access.leave();
        stop();
        end(raw);
      }
    },
  });
}

/** Counted for as long as the connection is open, whoever ends it. */
function count(app: App, request: FastifyRequest, { raw }: FastifyReply) {
  if (!request.caller) throw new Error('the caller is not known yet');
  const closing = new AbortController();
  const release = app.streams.open(request.caller, () => closing.abort());
  const leave = () => {
    release();
    closing.abort();
  };
  raw.once('close', leave);
  // No error for a client that disconnected while its key was being looked up.
  if (raw.destroyed) leave();
  return { closing, release };
}

function begin(reply: FastifyReply): void {
  const headers = {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    connection: 'close',
    // Asks nginx, and proxies that learned it from there, to pass events on at once.
    'x-accel-buffering': 'no',
  };
  reply.hijack();
  reply.raw.writeHead(200, headers as Record<string, string>);
}

function writerTo(raw: ServerResponse, closed: AbortSignal) {
  raw.write('\n');
  const beat = setInterval(() => {
    if (!raw.writableNeedDrain) raw.write(': alive\n\n');
  }, BEAT_MS);
  return {
    async write(text: string): Promise<void> {
      if (closed.aborted) return;
      beat.refresh();
      if (raw.write(text)) return;
      await once(raw, 'drain', { signal: closed }).catch(() => undefined);
    },
    stop: () => clearInterval(beat),
  };
}

function watchAccess(
  app: App,
  contract: Contract,
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortController,
): AccessWatch {
  const { caller } = request;
  const credential = credentialOf(request.headers, contract.basicAuth === true);
  const { org: orgName = '' } = request.params as { org?: string };
  // Access was checked after the request had arrived.
  const arrivedAt = performance.now() - reply.elapsedTime;
  return app.streamAccess.watch({ credential, orgName }, arrivedAt, {
    async judge(row) {
      const { actor, org } = await judgeAgain(contract, request, credential, row);
      if (actor.role !== caller?.actor.role || org !== caller.org) closing.abort();
    },
    close: () => closing.abort(),
  });
}

function end(raw: ServerResponse): void {
  const leave = setTimeout(() => raw.destroy(), FAREWELL_MS);
  raw.once('close', () => clearTimeout(leave));
  raw.end();
}
