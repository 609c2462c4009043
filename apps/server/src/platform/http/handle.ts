import type { Contract, Input, Reply } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ctx } from '../ctx.ts';
import { invalid, Problem, rateLimited } from '../errors.ts';
import { newId } from '../ids.ts';
import { API_PREFIX, type App } from './app.ts';
import { authenticate, authorise, type Caller } from './auth.ts';
import { sendJson } from './errors.ts';
import { type Answer, once } from './idempotency.ts';
import { isForm, readForm } from './multipart.ts';
import { parse } from './validation.ts';

interface Told<Body> {
  readonly told: 'created' | 'updated';
  readonly body: Body;
}

export function created<Body>(body: Body): Told<Body> {
  return { told: 'created', body };
}

export function updated<Body>(body: Body): Told<Body> {
  return { told: 'updated', body };
}

type Result<C extends Contract> = C['status'] extends number ? Reply<C> : Told<Reply<C>>;

/** For what an answer carries besides its body. */
export interface Out {
  header(name: string, value: string): void;
}

type Handler<C extends Contract> = (ctx: Ctx, input: Input<C>, out: Out) => Promise<Result<C>>;

/** Mounts an operation: access check, rate limit, validation, the call, reply check. */
export function handle<C extends Contract>(app: App, contract: C, handler: Handler<C>): void {
  app.http.route({
    method: contract.method,
    url: API_PREFIX + contract.path,
    bodyLimit: bodyLimit(contract),
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const ctx = contextOf(app, request);
      const input = await readInput(contract, request);
      const answer = await idempotently(ctx, contract, request, input, async (ctx) =>
        answerOf(contract, await handler(ctx, input, reply)),
      );
      if (contract.method !== 'GET') app.onWrite();
      return reply.code(answer.status).header('content-type', 'application/json; charset=utf-8').send(answer.body);
    },
  });
}

/** Mounts an operation that needs no credential. */
export function handlePublic<C extends Contract>(app: App, contract: C, handler: () => Reply<C>): void {
  app.http.route({
    method: contract.method,
    url: API_PREFIX + contract.path,
    onRequest: async (request, reply) => limit(app, `address ${request.ip}`, reply),
    handler: (_, reply) => sendJson(reply, contract.reply.parse(handler())),
  });
}

/** Who calls, whether they may, and whether not too often. Runs before the body is read. */
export async function enter(app: App, contract: Contract, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (contract.access === 'public') return;
  request.caller = await callerOf(app, contract, request).catch((error) => {
    // A guesser of keys is slowed down by address, as there is no credential to count by.
    if (error instanceof Problem && error.code !== 'unavailable') limit(app, `address ${request.ip}`, reply);
    throw error;
  });
  limit(app, request.caller.keyId, reply);
  authorise(request.caller.actor.role, contract.access);
}

/** Also used to look again whether a long-lived connection may go on. */
export function callerOf(app: App, contract: Contract, request: FastifyRequest): Promise<Caller> {
  return authenticate(app.findCaller, {
    authorization: request.headers.authorization,
    basicAllowed: contract.basicAuth === true,
    orgName: (request.params as { org: string }).org,
  });
}

export function contextOf(app: App, request: FastifyRequest): Ctx {
  if (!request.caller) throw new Error('the caller is not known yet');
  const { actor, org } = request.caller;
  // One moment for the whole operation.
  const now = app.now();
  return { db: app.db, actor, org, now: () => now, newId, log: request.log as Ctx['log'] };
}

export async function readInput<C extends Contract>(contract: C, request: FastifyRequest): Promise<Input<C>> {
  const sent = await readSent(contract, request);
  const input = {
    params: contract.params && parse(contract.params, request.params, ''),
    query: contract.query && parse(contract.query, request.query, 'query'),
    body: contract.body && parse(contract.body, sent.body, ''),
    file: sent.file,
  };
  // The contract's own types say what each part parses to; the compiler cannot follow that through optional parts.
  return input as Input<C>;
}

async function readSent({ form }: Contract, request: FastifyRequest) {
  if (!isForm(request)) return { body: request.body ?? undefined, file: undefined };
  if (!form) throw invalid('No form is taken here: send application/json');
  return readForm(request, form);
}

function bodyLimit(contract: Contract): number {
  return 1024 * 1024 + (contract.form ? contract.form.file.maxBytes + 64 * 1024 : 0);
}

function limit(app: App, key: string, reply: FastifyReply): void {
  const { allowed, remaining, resetSeconds } = app.allow(key, app.now().getTime());
  reply.header('ratelimit-limit', app.rateLimit.burst);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
  if (!allowed) throw rateLimited(resetSeconds);
}

function answerOf<C extends Contract>(contract: C, result: Result<C>): Answer {
  const { status } = contract;
  if (typeof status === 'number') return { status, body: JSON.stringify(contract.reply.parse(result)) };
  const { told, body } = result as Told<unknown>;
  return { status: status[told], body: JSON.stringify(contract.reply.parse(body)) };
}

function idempotently<C extends Contract>(
  ctx: Ctx,
  contract: C,
  request: FastifyRequest,
  input: Input<C>,
  work: (ctx: Ctx) => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers['idempotency-key'];
  if (contract.method !== 'POST' || typeof key !== 'string') return work(ctx);
  const file = input.file && { ...input.file, content: Buffer.from(input.file.content).toString('base64') };
  return once(ctx, { key, operation: contract.id, input: { ...input, file } }, work);
}
