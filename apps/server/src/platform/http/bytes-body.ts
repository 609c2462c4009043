import type { Contract, Input, Reply } from '@waymark/contract';
import type { FastifyRequest } from 'fastify';
import type { Ctx } from '../ctx.ts';
import { invalid } from '../errors.ts';
import type { App } from './app.ts';
import { isDryRun } from './dry-run.ts';
import { collectHeaders, contextOf, enter, inTurn, type Out, readHead, recheckAccessAfterBody } from './handle.ts';
import { parseJson, takeBody } from './json-body.ts';
import { isForm } from './multipart.ts';
import { routeUrl } from './route-url.ts';

export interface SentBytes {
  readonly bytes: Buffer;
  /** Parses the body as any other operation would, without checking its shape. Throws when it is not JSON. */
  parse(): unknown;
  /** The handler itself makes sure that a dry run records nothing: only it knows what else it stores. */
  readonly isDryRun: boolean;
}

/** `wrote` is false when nothing changed, so that the sequencer need not be woken. */
interface Outcome<C extends Contract> {
  readonly body: Reply<C>;
  readonly wrote: boolean;
}

type BytesContract = Contract & { readonly status: 200 | 201 };

type BytesHandler<C extends BytesContract> = (
  ctx: Ctx,
  input: Pick<Input<C>, 'params' | 'query' | 'headers'>,
  sent: SentBytes,
  out: Out,
) => Promise<Outcome<C>>;

/** Mounts an operation that gets its JSON body as bytes, because bytes that are already known need no parsing. */
export function handleBytes<C extends BytesContract>(app: App, contract: C, handler: BytesHandler<C>): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    ...(contract.bodyMaxBytes !== undefined && { bodyLimit: contract.bodyMaxBytes }),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      if (isForm(request)) throw invalid('This endpoint does not accept forms. Send application/json');
      const input = readHead(contract, request);
      await recheckAccessAfterBody(app, contract, request, reply);
      const { headers, out } = collectHeaders();
      const sent = sentBytes(contract, request);
      const record = () => handler(contextOf(app, request), input, sent, out);
      // The response is small.
      const outcome = await inTurn(app, request, record, () => 0);
      const body = JSON.stringify(contract.reply.parse(outcome.body));
      if (outcome.wrote && !sent.isDryRun) app.onWrite();
      return reply
        .code(contract.status)
        .headers(headers)
        .header('content-type', 'application/json; charset=utf-8')
        .send(body);
    },
  });
}

function sentBytes(contract: Contract, request: FastifyRequest): SentBytes {
  const bytes = takeBody(request);
  return { bytes, parse: () => parseJson(request, bytes), isDryRun: isDryRun(contract, request) };
}
