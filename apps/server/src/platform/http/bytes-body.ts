import type { Contract, Input, Reply } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ctx } from '../ctx.ts';
import { invalid, unavailable } from '../errors.ts';
import type { App } from './app.ts';
import { isDryRun } from './dry-run.ts';
import { collectHeaders, contextOf, enter, lookAgainAfterBody, type Out, readHead } from './handle.ts';
import { parseJson } from './json-body.ts';
import { isForm } from './multipart.ts';
import { routeUrl } from './route-url.ts';

/**
 * What bodies under way may take in memory at once, in one process: sixteen of the largest. Parsed they take several
 * times as much, but are parsed one after the other.
 */
export const BODIES_MAX_BYTES = 128 * 1024 * 1024;

/** Of this, what one org may take: whoever sends slowly keeps out nobody but their own. */
export const BODIES_MAX_BYTES_PER_ORG = BODIES_MAX_BYTES / 4;

/** Bodies below this are not counted, so that a few slow large ones do not keep out the many small ones. */
export const COUNTED_FROM_BYTES = 64 * 1024;

const DEFAULT_MAX_BYTES = 1024 * 1024;

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
  const maxBytes = contract.bodyMaxBytes ?? DEFAULT_MAX_BYTES;
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    bodyLimit: maxBytes,
    config: { bodyAsBytes: true },
    onRequest: async (request, reply) => {
      await enter(app, contract, request, reply);
      reserve(app, request, reply, maxBytes);
    },
    handler: (request, reply) =>
      whileInUse(request, async () => {
        if (isForm(request)) throw invalid('No form is taken here: send application/json');
        const input = readHead(contract, request);
        await lookAgainAfterBody(app, contract, request, reply);
        const { headers, out } = collectHeaders();
        const sent = sentBytes(contract, request);
        const outcome = await handler(contextOf(app, request), input, sent, out);
        const body = JSON.stringify(contract.reply.parse(outcome.body));
        if (outcome.wrote && !sent.isDryRun) app.onWrite();
        return reply
          .code(contract.status)
          .headers(headers)
          .header('content-type', 'application/json; charset=utf-8')
          .send(body);
      }),
  });
}

function sentBytes(contract: Contract, request: FastifyRequest): SentBytes {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return { bytes, parse: () => parseJson(request, bytes), isDryRun: isDryRun(contract, request) };
}

interface Reservation {
  /** A handler goes on with the bytes when its caller has left. */
  inUse: boolean;
  release(): void;
}

const reservations = new WeakMap<FastifyRequest, Reservation>();
const budgets = new WeakMap<App, Map<string, number>>();

/** How many bytes are promised to bodies under way, of one org or of all. */
export function reservedBytes(app: App, org?: string): number {
  const budget = budgets.get(app);
  if (org !== undefined) return budget?.get(org) ?? 0;
  return [...(budget?.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0);
}

function addReserved(app: App, org: string, bytes: number): void {
  const budget = budgets.get(app) ?? new Map<string, number>();
  budgets.set(app, budget);
  const sum = (budget.get(org) ?? 0) + bytes;
  if (sum === 0) budget.delete(org);
  else budget.set(org, sum);
}

/** Before the body is read: what is refused here has taken no memory yet. */
function reserve(app: App, request: FastifyRequest, reply: FastifyReply, maxBytes: number): void {
  const bytes = bytesToCome(request, maxBytes);
  if (bytes < COUNTED_FROM_BYTES) return;
  const { org } = contextOf(app, request);
  const isTooMuch =
    reservedBytes(app) + bytes > BODIES_MAX_BYTES || reservedBytes(app, org) + bytes > BODIES_MAX_BYTES_PER_ORG;
  if (isTooMuch) throw unavailable('Too many large bodies are on their way right now');
  addReserved(app, org, bytes);
  const reservation: Reservation = {
    inUse: false,
    release() {
      if (reservations.delete(request)) addReserved(app, org, -bytes);
    },
  };
  reservations.set(request, reservation);
  // The last thing that happens to every answer, sent or not.
  reply.raw.once('close', () => {
    if (!reservation.inUse) reservation.release();
  });
}

/** A body that says it is too large is refused without being read. */
function bytesToCome(request: FastifyRequest, maxBytes: number): number {
  const length = request.headers['content-length'];
  if (length === undefined) return request.headers['transfer-encoding'] === undefined ? 0 : maxBytes;
  return Number(length) <= maxBytes ? Number(length) : 0;
}

async function whileInUse<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const reservation = reservations.get(request);
  if (!reservation) return work();
  reservation.inUse = true;
  try {
    return await work();
  } finally {
    reservation.release();
  }
}
