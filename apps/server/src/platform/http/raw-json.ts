import type { Contract, Input } from '@waymark/contract';
import type { Ctx } from '../ctx.ts';
import type { App } from './app.ts';
import { isNamedIn } from './etag.ts';
import { contextOf, enter, inTurn, readHead } from './handle.ts';
import { routeUrl } from './route-url.ts';

type ReadContract = Contract & { readonly method: 'GET'; readonly status: 200 };

type Head<C extends ReadContract> = Pick<Input<C>, 'params' | 'query' | 'headers'>;

type TextHandler<C extends ReadContract> = (ctx: Ctx, input: Head<C>) => Promise<Buffer>;

/** A response that the caller may already have: it is written only if they do not. */
export interface TaggedText {
  /** With its quotes, as sent. */
  readonly etag: string;
  write(): Promise<WrittenText>;
}

export interface WrittenText {
  readonly body: Buffer;
  /** False when damaged rows make it incomplete, so that it will change without a new tag. */
  readonly isWhole: boolean;
}

/**
 * Mounts a read whose handler writes the JSON itself, in UTF-8: checking the shape of megabytes would take longer than
 * everything else. The tests of the operation check that the response has the shape of the contract.
 */
export function handleRawJson<C extends ReadContract>(app: App, contract: C, handler: TextHandler<C>): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const read = () => handler(contextOf(app, request), readHead(contract, request));
      const body = await inTurn(app, request, read, ({ length }) => length);
      return reply.code(contract.status).header('content-type', 'application/json; charset=utf-8').send(body);
    },
  });
}

/** The same for a response with an `ETag`. It may change, if rarely, so callers revalidate before they use theirs. */
export function handleTaggedText<C extends ReadContract & { readonly conditional: true }>(
  app: App,
  contract: C,
  handler: (ctx: Ctx, input: Head<C>) => Promise<TaggedText>,
): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const read = async () => {
        const { etag, write } = await handler(contextOf(app, request), readHead(contract, request));
        reply.header('etag', etag).header('cache-control', 'private, no-cache');
        return isNamedIn(request.headers['if-none-match'], etag) ? undefined : write();
      };
      const text = await inTurn(app, request, read, (text) => text?.body.length ?? 0);
      if (!text) return reply.code(304).send();
      const { body, isWhole } = text;
      if (!isWhole) reply.removeHeader('etag');
      return reply.code(contract.status).header('content-type', 'application/json; charset=utf-8').send(body);
    },
  });
}
