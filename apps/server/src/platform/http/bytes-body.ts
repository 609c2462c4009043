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
  /** What any other operation gets as its body, before its shape is checked. Throws when it is no JSON. */
  parse(): unknown;
  /** The handler sees to it that nothing is recorded: it alone knows what it keeps besides. */
  readonly isDryRun: boolean;
}

/** `wrote` is false when nothing changed, and so nobody has to be woken. */
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

/** Mounts an operation whose JSON body is handed over unparsed, as bytes that are known need not be parsed. */
export function handleBytes<C extends BytesContract>(app: App, contract: C, handler: BytesHandler<C>): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    ...(contract.bodyMaxBytes !== undefined && { bodyLimit: contract.bodyMaxBytes }),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      if (isForm(request)) throw invalid('No form is taken here: send application/json');
      const input = readHead(contract, request);
      await recheckAccessAfterBody(app, contract, request, reply);
      const { headers, out } = collectHeaders();
      const sent = sentBytes(contract, request);
      const record = () => handler(contextOf(app, request), input, sent, out);
      // Its answer is small.
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
