import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid, type Problem, tooLarge } from '../errors.ts';
import { type Body, type BodyBudget, createBodyBudget, type Holders } from './body-budget.ts';
import type { BodyLimits } from './body-limits.ts';
import { createGrowingBuffer, type GrowingBuffer } from './growing-buffer.ts';
import { networkOf } from './rate-limit.ts';

const MIB = 1024 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** How much of the budget the body of this request uses. */
    intake: Body | null;
  }
}

/** Bodies count until their handler is done, even when the client has already disconnected. */
export function openBodyBudget(http: FastifyInstance, limits: BodyLimits): BodyBudget {
  const budget = createBodyBudget(limits);
  http.decorateRequest('intake', null);
  http.addHook('onRoute', (route) => {
    const { handler, method } = route;
    if (method === 'GET' || method === 'HEAD') return;
    route.handler = function (request, reply) {
      if (request.intake) request.intake.isInUse = true;
      const release = () => {
        if (request.intake) budget.release(request.intake);
      };
      let result: unknown;
      try {
        result = handler.call(this, request, reply);
        return result;
      } finally {
        if (result instanceof Promise) result.then(release, release);
        else release();
      }
    };
  });
  if (limits.tickMs > 0) {
    const ticking = setInterval(budget.tick, limits.tickMs).unref();
    http.addHook('onClose', async () => clearInterval(ticking));
  }
  return budget;
}

interface Reading {
  readonly maxBytes: number;
  /** Called with all bytes. Throws when they are not acceptable. */
  read(bytes: Buffer): unknown;
}

/** Collects a body under the budget: memory is reserved for bytes that have arrived, not for bytes that are announced. */
export function collectBody(
  budget: BodyBudget,
  request: FastifyRequest,
  payload: Readable,
  { maxBytes, read }: Reading,
  done: (error: Error | null, value?: unknown) => void,
): void {
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  // A stream that is destroyed emits nothing more.
  if (announced > maxBytes || payload.destroyed) {
    done(announced > maxBytes ? bodyTooLarge(maxBytes) : brokenOff());
    return;
  }

  const mostBytes = Number.isNaN(announced) ? maxBytes : announced;
  let collected: GrowingBuffer | undefined;
  let received = 0;
  let isFinished = false;
  let refusal: Problem | undefined;
  let body: Body | undefined;

  payload.on('data', onData).on('end', onEnd).on('error', onError);
  try {
    const begun = budget.begin(holdersOf(request), onEnded);
    body = begun;
    collected = createGrowingBuffer((bytes) => budget.hold(begun, bytes), mostBytes);
    request.intake = begun;
  } catch (error) {
    refuse(error as Problem);
  }
  payload.resume();

  function onData(chunk: Buffer): void {
    received += chunk.length;
    if (received > maxBytes) finish(bodyTooLarge(maxBytes));
    if (isFinished || refusal || !body) return;
    budget.noteReceived(body, chunk.length);
    try {
      collected?.append(chunk);
    } catch (error) {
      refuse(error as Problem);
    }
  }

  function onEnded(problem: Problem): void {
    if (problem.code === 'too_slow') finish(problem);
    else refuse(problem);
  }

  /**
   * Keeps reading for a moment: if the connection were closed, a client that is still sending would not see the
   * response.
   */
  function refuse(problem: Problem): void {
    refusal = problem;
    collected = undefined;
    if (body) budget.release(body);
    budget.callLater(() => finish(problem));
  }

  function onEnd(): void {
    if (refusal || !body || !collected) {
      finish(refusal ?? brokenOff());
      return;
    }
    stopListening();
    budget.noteArrived(body);
    let value: unknown;
    let fault: unknown = null;
    try {
      value = read(collected.bytes());
      collected = undefined;
    } catch (error) {
      fault = error;
    }
    done(fault as Error | null, value);
    // No handler was called: the body was refused, or the client disconnected.
    if (!body.isInUse) budget.release(body);
  }

  function onError(): void {
    finish(brokenOff());
  }

  function finish(problem: Problem): void {
    if (isFinished) return;
    isFinished = true;
    stopListening();
    if (body) budget.release(body);
    done(problem);
  }

  function stopListening(): void {
    payload.off('data', onData).off('end', onEnd).off('error', onError);
  }
}

function brokenOff(): Problem {
  return invalid('The body ended prematurely');
}

function bodyTooLarge(maxBytes: number): Problem {
  const size = maxBytes % MIB === 0 ? `${maxBytes / MIB} MiB` : `${maxBytes} bytes`;
  return tooLarge(`The body is too large: the maximum is ${size}`);
}

function holdersOf(request: FastifyRequest): Holders {
  const { caller } = request;
  return caller ? { org: caller.org, actor: caller.actor.id } : { org: undefined, actor: networkOf(request.ip) };
}

/** Memory of a reader between two chunks. */
const READER_BYTES = 64 * 1024;

/** Chunks of a body whose reader asks for them one by one, such as a form. */
export interface BodyChunks extends AsyncIterator<Buffer, undefined> {
  hold(bytes: number): void;
  /** Frees the held memory; the rest is read only to be discarded. */
  drop(): void;
}

/** The sender must keep the pace only while the reader waits for it. The memory is released after the handler. */
export function readChunks(budget: BodyBudget, request: FastifyRequest): BodyChunks {
  const chunks = request.raw.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  let fail: (problem: Problem) => void = () => undefined;
  const body = budget.begin(holdersOf(request), (problem) => fail(problem));
  request.intake = body;
  body.isAwaited = false;
  budget.hold(body, READER_BYTES);

  async function next(): Promise<IteratorResult<Buffer, undefined>> {
    if (body.ended) throw body.ended;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    fail = reject;
    body.isAwaited = true;
    const result = await Promise.race([chunks.next(), ended]);
    body.isAwaited = false;
    if (result.done) budget.noteArrived(body);
    else budget.noteReceived(body, result.value.length);
    return result;
  }

  return { next, hold: (bytes) => budget.hold(body, bytes), drop: () => budget.drop(body) };
}
