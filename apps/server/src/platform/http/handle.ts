import { hash } from 'node:crypto';
import {
  type Contract,
  controlRuleOf,
  type Form,
  type Input,
  type Reply,
  type StoredFile,
  type UploadedFile,
} from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Ctx } from '../ctx.ts';
import { invalid, Problem, rateLimited } from '../errors.ts';
import { newId } from '../ids.ts';
import { inSlices, noteAsking } from '../slices.ts';
import { overloaded } from './admission.ts';
import type { App } from './app.ts';
import { authenticate, authorise, authoriseBody, type Caller, needsApproval, requireBeta } from './auth.ts';
import type { ControlledOperation, SentInput } from './change-control.ts';
import { credentialOf, type SentCredential } from './credential.ts';
import { requireOwnPage } from './csrf.ts';
import { isDryRun, markDryRun, queryOf, requireDryRunAsOffered } from './dry-run.ts';
import { recognizeFile, storeFile } from './evidence-file.ts';
import type { CallerRow } from './find-caller.ts';
import { once, type StoredAnswer, tried } from './idempotency.ts';
import { parseJson, takeBody } from './json-body.ts';
import type { SentNames } from './key-scope.ts';
import { bufferFile, isForm, readForm } from './multipart.ts';
import { type Allowance, networkOf, requestsOf } from './rate-limit.ts';
import { requireStorage } from './require-storage.ts';
import { pathParams, routeUrl } from './route-url.ts';
import { requireStorable } from './storable.ts';
import { isTurnedAway } from './turn-away.ts';
import { parse } from './validation.ts';

interface Outcome<Body> {
  readonly change: 'created' | 'updated';
  readonly body: Body;
}

export function created<Body>(body: Body): Outcome<Body> {
  return { change: 'created', body };
}

export function updated<Body>(body: Body): Outcome<Body> {
  return { change: 'updated', body };
}

type Result<C extends Contract> = C['status'] extends number ? Reply<C> : Outcome<Reply<C>>;

/** For what a response carries besides its body. */
export interface Out {
  header(name: string, value: string): void;
}

export function collectHeaders(): { headers: Readonly<Record<string, string>>; out: Out } {
  const headers: Record<string, string> = {};
  return {
    headers,
    out: {
      header(name, value) {
        headers[name] = value;
      },
    },
  };
}

type Handler<C extends Contract, Prepared = undefined> = (
  ctx: Ctx,
  input: Input<C>,
  out: Out,
  prepared: Prepared,
) => Promise<Result<C>>;

/** Mounts an operation: access check, rate limit, validation, the call, reply check. */
export function handle<C extends Contract>(app: App, contract: C, handler: Handler<C>): void {
  handlePrepared(app, contract, async () => undefined, handler);
}

/**
 * Mounts an operation with slow work, such as judging. `prepare` does that work; it is not called for a repeat, and
 * never inside the transaction that an Idempotency-Key or a dry run opens around the handler.
 */
export function handlePrepared<C extends Contract, Prepared>(
  app: App,
  contract: C,
  prepare: (ctx: Ctx, input: Input<C>) => Promise<Prepared>,
  handler: Handler<C, Prepared>,
): void {
  const operation = operationOf(contract, prepare, handler);
  if (controlRuleOf(contract)) app.changeControl.add(operation);
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    ...(contract.bodyMaxBytes !== undefined && { bodyLimit: contract.bodyMaxBytes }),
    config: { basicAuth: contract.basicAuth === true },
    onRequest: (request, reply) => enter(app, contract, request, reply),
    handler: async (request, reply) => {
      const read = () => readInput(app, contract, request, reply);
      // A form is read while it arrives, outside any turn. Any other body has arrived by now.
      const form = isForm(request) ? await read() : undefined;
      // The time of receipt is when all of it has arrived.
      const receivedAt = app.now();
      const isTried = isDryRun(contract, request);
      const carryOut = async () => {
        const input = form ?? (await read());
        const ctx = contextOf(app, request, receivedAt);
        const isHeld = request.caller && !isTried && needsApproval(request.caller, contract, input.body);
        const { prepare, work } = isHeld ? askingFor(app, operation) : operation;
        return (isTried ? tried : once)(
          ctx,
          repeatableOf(contract, request, input),
          () => prepare(ctx, input),
          (ctx, prepared) => work(ctx, input, prepared),
        );
      };
      const answer = await inTurn(app, request, carryOut, ({ body }) => body.length);
      if (contract.method !== 'GET' && !isTried) app.onWrite();
      reply.code(answer.status).headers(answer.headers);
      if (answer.status === 204) return reply.send();
      return reply
        .header('content-type', `${contract.replyType ?? 'application/json'}; charset=utf-8`)
        .send(answer.body);
    },
  });
}

function operationOf<C extends Contract, Prepared>(
  contract: C,
  prepare: (ctx: Ctx, input: Input<C>) => Promise<Prepared>,
  handler: Handler<C, Prepared>,
): ControlledOperation {
  return {
    contract,
    prepare: (ctx, input) => prepare(ctx, input as Input<C>),
    async work(ctx, input, prepared) {
      const { headers, out } = collectHeaders();
      return {
        ...answerOf(contract, await handler(ctx, input as Input<C>, out, prepared as Prepared)),
        headers,
      };
    },
  };
}

/** The same request, to be stored until another person approves it. */
function askingFor({ changeControl: { holder } }: App, operation: ControlledOperation) {
  return {
    prepare: (ctx: Ctx, input: SentInput) => holder.examine(ctx, operation, input),
    work: (ctx: Ctx, input: SentInput, examined: unknown) => holder.ask(ctx, operation, input, examined),
  };
}

/**
 * Mounts an operation that needs no credential. The service itself runs it, in no org, with a rate limit by address.
 */
export function handlePublic<C extends Contract>(
  app: App,
  contract: C,
  handler: (ctx: Ctx, input: Input<C>, out: Out) => Result<C> | Promise<Result<C>>,
): void {
  app.http.route({
    method: contract.method,
    url: routeUrl(contract),
    ...(contract.bodyMaxBytes !== undefined && { bodyLimit: contract.bodyMaxBytes }),
    onRequest: async (request, reply) => {
      markDeprecated(contract, reply);
      limitByAddress(app, request, reply);
      requireDryRunAsOffered(contract, request);
    },
    handler: async (request, reply) => {
      const input = await readInput(app, contract, request, reply);
      const { headers, out } = collectHeaders();
      const { status, body } = answerOf(contract, await handler(publicContext(app, contract, request), input, out));
      if (contract.method !== 'GET') app.onWrite();
      return reply.code(status).headers(headers).header('content-type', 'application/json; charset=utf-8').send(body);
    },
  });
}

export function publicContext(app: App, contract: Contract, request: FastifyRequest): Ctx {
  const now = app.now();
  return {
    db: app.db,
    actor: { kind: 'system', id: null, name: contract.id },
    credential: null,
    org: '',
    now: () => now,
    newId,
    log: request.log as Ctx['log'],
  };
}

/** Authenticates, authorizes, and applies the rate limit, before the body is read. */
export async function enter(app: App, contract: Contract, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  markDeprecated(contract, reply);
  markDryRun(contract, request, reply);
  if (contract.access === 'public') return;
  // A response for one caller must not be cached by anyone else. A handler whose response can be cached overrides this.
  reply.header('cache-control', 'no-store');
  request.caller = await findCaller(app, contract, request).catch((error) => {
    // Attempts to guess keys are limited by address, as there is no credential to count by.
    if (error instanceof Problem && error.code !== 'unavailable') applyLimit(countGuess(app, request, 1), reply);
    throw error;
  });
  const { credential, actor, org } = request.caller;
  const caller = { credential: credential.id, actor: actor.id, org };
  applyLimit(app.allow.byCaller(caller, app.now().getTime(), requestsOf(parsedBytes(request))), reply);
  app.credentialUse.note(request.caller);
  authorise(request.caller, contract, namesIn(contract, request));
  if (contract.beta) requireBeta(contract.beta, request.headers['waymark-beta'], request.caller.hasBetas);
  requireDryRunAsOffered(contract, request);
  await requireStorage(app.shares, contract, request.caller, request.headers);
}

/** Refuses, before it costs anything, a new request that cannot be served in time. */
async function findCaller(app: App, contract: Contract, request: FastifyRequest): Promise<Caller> {
  const credential = credentialOf(request.headers, contract.basicAuth === true);
  const known = app.callerOrgs.get(credential.hash);
  if (!known) requireNoGuesser(app, request);
  else if (isTurnedAway(app, known)) throw overloaded();
  const find = () => callerOf(app, contract, request, credential);
  const caller = known ? await app.admission.recognize(known.countsFor, find) : await find();
  app.callerOrgs.note(credential.hash, caller);
  return caller;
}

/** After repeated wrong keys from an address, unknown keys are no longer looked up. */
function requireNoGuesser(app: App, request: FastifyRequest): void {
  if (countGuess(app, request, 0).remaining < 1) throw rateLimited(1);
}

function countGuess(app: App, request: FastifyRequest, guesses: number): Allowance {
  return app.allow.byKey(`guess ${networkOf(request.ip)}`, app.now().getTime(), guesses);
}

async function callerOf(
  app: App,
  contract: Contract,
  request: FastifyRequest,
  credential: SentCredential,
): Promise<Caller> {
  const { access } = contract;
  const find = (credential: SentCredential, orgName: string) =>
    app.findCaller(credential, orgName, networkOf(request.ip));
  const caller = await authenticate(find, {
    credential,
    access,
    orgName: (request.params as { org?: string }).org,
  });
  if (credential.kind === 'session' && contract.method !== 'GET') requireOwnPage(app, credential.secret, request);
  return caller;
}

/** Checks access again, because permissions may have changed meanwhile. */
export async function recheckAccess(app: App, contract: Contract, request: FastifyRequest): Promise<void> {
  const credential = credentialOf(request.headers, contract.basicAuth === true);
  request.caller = await callerOf(app, contract, request, credential);
  authorise(request.caller, contract, namesIn(contract, request));
}

/** Judges a request again by what was found about its credential meanwhile. Rejects when it gives no access any more. */
export async function judgeAgain(
  contract: Contract,
  request: FastifyRequest,
  credential: SentCredential,
  row: CallerRow | undefined,
): Promise<Caller> {
  const { org: orgName } = request.params as { org?: string };
  const caller = await authenticate(async () => row, { credential, access: contract.access, orgName });
  authorise(caller, contract, namesIn(contract, request));
  return caller;
}

function namesIn(contract: Contract, request: FastifyRequest): SentNames {
  return {
    path: pathParams(contract, request.params) as SentNames['path'],
    query: request.query as SentNames['query'],
  };
}

const SLOW_BODY_MS = 1_000;

/** A body may take a minute to arrive: sending it slowly must not preserve access that was revoked meanwhile. */
export async function recheckAccessAfterBody(
  app: App,
  contract: Contract,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (request.caller && reply.elapsedTime > SLOW_BODY_MS) await recheckAccess(app, contract, request);
}

/** Runs a request when it is the caller's turn. It has arrived in full by then: a slow body takes nobody's turn. */
export function inTurn<T>(
  app: App,
  request: FastifyRequest,
  work: () => Promise<T>,
  bytesOf: (answer: T) => number,
): Promise<T> {
  const { caller } = request;
  if (!caller) throw new Error('the caller is not known yet');
  noteAsking(caller.org);
  const parsed = parsedBytes(request);
  return app.admission.run(caller.countsFor, work, (answer) => parsed + (answer === undefined ? 0 : bytesOf(answer)));
}

/** The whole operation uses one point in time. */
export function contextOf(app: App, request: FastifyRequest, now = app.now()): Ctx {
  if (!request.caller) throw new Error('the caller is not known yet');
  const { actor, credential, org } = request.caller;
  return { db: app.shares.of(org), actor, credential, org, now: () => now, newId, log: request.log as Ctx['log'] };
}

export async function readInput<C extends Contract>(
  app: App,
  contract: C,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Input<C>> {
  const input = { ...readHead(contract, request), ...(await readSent(app, contract, request, reply)) };
  await recheckAccessAfterBody(app, contract, request, reply);
  if (request.caller) authoriseBody(request.caller, contract, input.body);
  return input as Input<C>;
}

/** All of the input that is not in the body. */
export function readHead<C extends Contract>(
  contract: C,
  request: FastifyRequest,
): Pick<Input<C>, 'params' | 'query' | 'headers'> {
  const head = {
    params: contract.params && parse(contract.params, pathParams(contract, request.params), ''),
    query: readQuery(contract, request),
    headers: contract.headers && parse(contract.headers, declaredOf(contract.headers, request.headers), 'header'),
  };
  // The contract's own types determine what each part parses to; the compiler cannot follow that through optional
  // parts.
  return head as Pick<Input<C>, 'params' | 'query' | 'headers'>;
}

const NoQuery = z.strictObject({});

function readQuery(contract: Contract, request: FastifyRequest): unknown {
  const query = queryOf(contract, request);
  if (contract.query) return parse(contract.query, query, 'query');
  // RFC 7644, section 3.4.2: unknown parameters of a SCIM client are ignored.
  if (contract.access !== 'scim') parse(NoQuery, query, 'query');
  return undefined;
}

/** Every request has headers that no operation declares. */
function declaredOf({ shape }: z.ZodObject, headers: FastifyRequest['headers']): Record<string, unknown> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, headers[name]]));
}

async function readSent(app: App, { body, form }: Contract, request: FastifyRequest, reply: FastifyReply) {
  const checkShape = (sent: unknown) => body && parse(body, sent, '');
  if (!isForm(request)) return { body: await readJson(request, checkShape), file: undefined };
  if (!form) throw invalid('This endpoint does not accept forms. Send application/json');
  return readForm(app.bodies, request, reply, form, {
    checkBody(sent) {
      requireStorable(sent);
      return checkShape(sent);
    },
    ...fileIntake(app, request, form),
  });
}

/** A larger body takes so long to parse and check that other requests get a turn in between. */
const MAX_UNSLICED_BYTES = 16 * 1024;

function readJson(request: FastifyRequest, checkShape: (sent: unknown) => unknown): unknown {
  const bytes = takeBody(request);
  const steps = readInSteps(request, bytes, checkShape);
  return bytes.length > MAX_UNSLICED_BYTES && request.caller ? inSlices(request.caller, steps) : atOnce(steps);
}

function* readInSteps(
  request: FastifyRequest,
  bytes: Buffer,
  checkShape: (sent: unknown) => unknown,
): Generator<void, unknown> {
  yield;
  const sent = parseJson(request, bytes) ?? undefined;
  yield;
  requireStorable(sent);
  yield;
  return checkShape(sent);
}

function atOnce<T>(steps: Iterator<void, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

function fileIntake(app: App, request: FastifyRequest, { file }: Form) {
  if (!file.store) return { keepFile: bufferFile, fileMaxBytes: file.maxBytes };
  const fileMaxBytes = file.maxBytes ?? app.attachmentMaxBytes;
  const ctx = contextOf(app, request);
  const full = request.caller?.fullStorage;
  return {
    keepFile: full ? recognizeFile(app.blobs, ctx, full) : storeFile(app.blobs, ctx, fileMaxBytes),
    fileMaxBytes,
  };
}

/** RFC 9745: since when, in seconds. */
function markDeprecated({ deprecated }: Contract, reply: FastifyReply): void {
  if (deprecated) reply.header('deprecation', '@1785196800');
}

/** The file of a form goes to the blob store chunk by chunk; every other body is read as a whole. */
function parsedBytes(request: FastifyRequest): number {
  return isForm(request) ? 0 : Number(request.headers['content-length'] ?? 0);
}

/** Requests without a credential are counted by address. */
export function limitByAddress(app: App, request: FastifyRequest, reply: FastifyReply, requests = 1): void {
  applyLimit(app.allow.byKey(`address ${networkOf(request.ip)}`, app.now().getTime(), requests), reply);
}

function applyLimit({ allowed, limit, remaining, resetSeconds }: Allowance, reply: FastifyReply): void {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
  if (!allowed) throw rateLimited(resetSeconds);
}

function answerOf<C extends Contract>(contract: C, result: Result<C>): Omit<StoredAnswer, 'headers'> {
  const { status } = contract;
  if (typeof status === 'number') return { status, body: JSON.stringify(contract.reply.parse(result)) ?? '' };
  const { change, body } = result as Outcome<unknown>;
  return { status: status[change], body: JSON.stringify(contract.reply.parse(body)) };
}

/** The scope of an Idempotency-Key, if one was sent. */
function repeatableOf<C extends Contract>(contract: C, request: FastifyRequest, input: Input<C>) {
  const key = request.headers['idempotency-key'];
  if (contract.method !== 'POST' || typeof key !== 'string') return undefined;
  const { id: operation, shownOnce } = contract;
  return { key, operation, shownOnce, input: { ...input, file: input.file && digested(input.file) } };
}

function digested(file: UploadedFile | StoredFile): { filename: string; sha256: string } {
  const sha256 = 'sha256' in file ? file.sha256 : hash('sha256', file.content, 'hex');
  return { filename: file.filename, sha256 };
}
