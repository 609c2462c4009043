import type { Contract, Input } from '@waymark/contract';
import type { Ctx } from '../ctx.ts';
import type { App } from './app.ts';
import { contextOf, enter, readHead } from './handle.ts';
import { routeUrl } from './route-url.ts';

type ReadContract = Contract & { readonly method: 'GET'; readonly status: 200 };

type TextHandler<C extends ReadContract> = (
  ctx: Ctx,
  input: Pick<Input<C>, 'params' | 'query' | 'headers'>,
) => Promise<Buffer>;

/**
 * Mounts a read whose answer is JSON that the handler wrote itself, in UTF-8: to check the shape of megabytes would take
 * longer than all else. That the answer has the shape of the contract is for the tests of the operation to see.
 */
export function handleJsonText<C extends ReadContract>(app: App, contract: C, handler: TextHandler<C>): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const body = await handler(contextOf(app, request), readHead(contract, request));
      return reply.code(contract.status).header('content-type', 'application/json; charset=utf-8').send(body);
    },
  });
}
