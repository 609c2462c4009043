import type { FileContract, Input } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ctx } from '../ctx.ts';
import type { App } from './app.ts';
import { attachmentNamed } from './content-disposition.ts';
import { contextOf, enter, inTurn, limitByAddress, publicContext, readInput } from './handle.ts';
import { requestsOf } from './rate-limit.ts';
import { routeUrl } from './route-url.ts';

/** A file that is small enough to be in memory. */
export interface SmallFile {
  readonly content: Buffer | string;
  readonly cacheControl: string;
  /** Set if it is to be saved. */
  readonly filename?: string;
}

type Handler<C extends FileContract> = (ctx: Ctx, input: Input<C>) => Promise<SmallFile>;

/**
 * Mounts an operation that answers with a small file. It takes a turn like one that answers with JSON, so that an org
 * that reads thousands of them does not delay the others.
 */
export function handleSmallFile<C extends FileContract>(app: App, contract: C, handler: Handler<C>): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const input = await readInput(app, contract, request, reply);
      const work = () => handler(contextOf(app, request), input);
      const file = await inTurn(app, request, work, ({ content }) => content.length);
      return send(contract, reply, file);
    },
  });
}

/** Whom the requests of all readers without a credential count for: together they get the share of one org. */
export const THE_PUBLIC = 'public';

/** The same without a credential. Readers share the turns and the connections of one org, and have a limit by address. */
export function handlePublicFile<C extends FileContract>(app: App, contract: C, handler: Handler<C>): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    onRequest: async (request, reply) => limitByAddress(app, request, reply),
    handler: async (request, reply) => {
      const input = await readInput(app, contract, request, reply);
      const ctx = { ...publicContext(app, contract, request), db: app.shares.of(THE_PUBLIC) };
      const file = await app.admission.run(
        THE_PUBLIC,
        () => handler(ctx, input),
        (answer) => answer?.content.length ?? 0,
      );
      countBytes(app, request, reply, file);
      return send(contract, reply, file);
    },
  });
}

/** The request itself has been counted. */
function countBytes(app: App, request: FastifyRequest, reply: FastifyReply, { content }: SmallFile): void {
  limitByAddress(app, request, reply, requestsOf(content.length) - 1);
}

function send({ replyType }: FileContract, reply: FastifyReply, { content, cacheControl, filename }: SmallFile) {
  const type = replyType.startsWith('text/') ? `${replyType}; charset=utf-8` : replyType;
  if (filename !== undefined) reply.header('content-disposition', attachmentNamed(filename));
  return reply.header('content-type', type).header('cache-control', cacheControl).send(content);
}
