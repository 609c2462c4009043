import { once } from 'node:events';
import type { Contract, Input } from '@waymark/contract';
import type { Ctx } from '../ctx.ts';
import type { App } from './app.ts';
import { contextOf, enter, lookAgain, readInput } from './handle.ts';
import { routeUrl } from './route-url.ts';

export interface EventStream {
  readonly lastEventId: string | undefined;
  /** Given when the client left, lost its right to listen, or the server stops. */
  readonly closed: AbortSignal;
  send(event: { id?: string; event: string; data: unknown }): Promise<void>;
  /** Keeps the connection alive through proxies. */
  beat(): Promise<void>;
  /** Looks again whether the caller may still listen, and closes the stream if not, or if their role is another one. */
  recheck(): Promise<void>;
}

/** Mounts an operation that answers with server-sent events for as long as the handler runs. */
export function handleEvents<C extends Contract>(
  app: App,
  contract: C,
  handler: (ctx: Ctx, input: Input<C>, stream: EventStream) => Promise<void>,
): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const ctx = contextOf(app, request);
      const input = await readInput(app, contract, request, reply);
      const role = request.caller?.actor.role;
      const closing = new AbortController();
      const closed = AbortSignal.any([closing.signal, app.draining]);
      const { raw } = reply;
      raw.on('close', () => closing.abort());
      const headers = {
        ...reply.getHeaders(),
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        connection: 'close',
      };
      reply.hijack();
      raw.writeHead(200, headers as Record<string, string>);
      raw.write('\n');

      const write = async (text: string) => {
        if (closed.aborted || raw.write(text)) return;
        await once(raw, 'drain', { signal: closed }).catch(() => undefined);
      };
      try {
        await handler(ctx, input, {
          lastEventId: request.headers['last-event-id']?.toString(),
          closed,
          send: ({ id, event, data }) =>
            write(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
          beat: () => write(': alive\n\n'),
          recheck: async () => {
            try {
              await lookAgain(app, contract, request);
              if (request.caller?.actor.role !== role) closing.abort();
            } catch {
              closing.abort();
            }
          },
        });
      } catch (error) {
        request.log.error({ err: error }, 'event stream failed');
      } finally {
        raw.end();
      }
    },
  });
}
