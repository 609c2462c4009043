import { once } from 'node:events';
import type { Contract, Input, Reply } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ctx } from '../ctx.ts';
import { unavailable } from '../errors.ts';
import type { App } from './app.ts';
import { sendJson } from './errors.ts';
import { contextOf, enter, readInput } from './handle.ts';
import { routeUrl } from './route-url.ts';

const LINES = 'application/x-ndjson';

export interface RunningRequest {
  /** Aborted when the client disconnects or the server stops: nobody waits for the response any more. */
  readonly stopped: AbortSignal;
  /** Reports progress to a client that asked for lines. */
  tell(progress: unknown): Promise<void>;
}

/**
 * Mounts a read that may take long. A client that asks for lines of JSON gets progress, and the response in the last
 * line. It changes nothing, so it can be repeated at will, with or without an Idempotency-Key.
 */
export function handleProgress<C extends Contract & { readonly status: 200 }>(
  app: App,
  contract: C,
  handler: (ctx: Ctx, input: Input<C>, running: RunningRequest) => Promise<Reply<C>>,
): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const input = await readInput(app, contract, request, reply);
      const ctx = contextOf(app, request);
      const stopped = stopSignal(app, reply);
      const answer = (tell: RunningRequest['tell']) =>
        handler(ctx, input, { stopped, tell }).then((result) => contract.reply.parse(result));
      if (request.headers.accept?.includes(LINES)) await sendLines(request, reply, stopped, answer);
      else sendJson(reply, await answer(async () => undefined));
      return reply;
    },
  });
}

function stopSignal(app: App, reply: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  reply.raw.once('close', () => leaving.abort(unavailable('The client disconnected')));
  const stopping = new AbortController();
  const stop = () => stopping.abort(unavailable('The server is shutting down'));
  if (app.draining.aborted) stop();
  else app.draining.addEventListener('abort', stop, { signal: leaving.signal });
  return AbortSignal.any([leaving.signal, stopping.signal]);
}

/** A failure before the first line is a normal error response. After it, all that is left is to cut the connection. */
async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  stopped: AbortSignal,
  answer: (tell: RunningRequest['tell']) => Promise<unknown>,
): Promise<void> {
  const { raw } = reply;
  const write = async (line: unknown) => {
    if (!reply.sent) begin(reply);
    if (stopped.aborted || raw.write(`${JSON.stringify(line)}\n`)) return;
    await once(raw, 'drain', { signal: stopped }).catch(() => undefined);
  };
  try {
    await write(await answer((progress) => write({ progress })));
    raw.end();
  } catch (error) {
    if (!reply.sent) throw error;
    if (!stopped.aborted) request.log.error({ err: error }, 'answer in lines failed');
    raw.destroy();
  }
}

function begin(reply: FastifyReply): void {
  reply.hijack();
  const headers = { ...reply.getHeaders(), 'content-type': LINES, 'cache-control': 'no-store' };
  reply.raw.writeHead(200, headers as Record<string, string>);
}
