import type { Contract } from '@waymark/contract';
import { readData, refuse } from './answer.ts';
import { createStreamReader, type RawEvent, type StreamReader } from './event-stream.ts';
import type { LooseInput } from './input.ts';
import type { Settings } from './options.ts';
import type { Pace } from './pace.ts';
import { type PreparedRequest, prepareRequest } from './request.ts';
import { sendWithRetries } from './retry.ts';
import { AttemptFailure, reasonOf } from './send.ts';

export interface StreamEvent<T> {
  /** The position in the stream, for `lastEventId`. */
  readonly id: string | undefined;
  readonly event: string;
  /** null for `reset`: events may have been missed, so all data must be loaded again. */
  readonly data: T | null;
}

export interface Following {
  /** The last event that was seen; later ones are sent. */
  readonly lastEventId?: string | undefined;
  /** Called when a connection opens, and when it is lost. */
  readonly onConnection?: ((isConnected: boolean) => void) | undefined;
}

export type EventsInput = LooseInput & Following;

const RECONNECT_MS = 1_000;
/** The server sends a heartbeat every 15 seconds. */
const IDLE_TIMEOUT_MS = 45_000;

/** Yields events as long as the caller takes them. A broken connection is replaced, and resumes where it was. */
export async function* followEvents(
  settings: Settings,
  pace: Pace,
  contract: Contract,
  input: EventsInput,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
): AsyncGenerator<StreamEvent<unknown>, void, undefined> {
  let { lastEventId } = input;
  const request = prepareRequest(settings, contract, input);
  for (let connections = 0; ; connections++) {
    const response = await connect(settings, pace, contract, at(request, lastEventId), input.signal, connections > 0);
    input.onConnection?.(true);
    // Without a position the events between two connections are unknown.
    if (connections > 0 && lastEventId === undefined) yield { id: undefined, event: 'reset', data: null };
    const reader = createStreamReader();
    let reason = 'the stream ended';
    try {
      for await (const event of eventsIn(response, reader, idleTimeoutMs)) {
        lastEventId = event.id ?? lastEventId;
        yield read(contract, response, event);
      }
    } catch (error) {
      input.signal?.throwIfAborted();
      if (!(error instanceof AttemptFailure)) throw error;
      reason = error.message;
    }
    input.onConnection?.(false);
    const waitMs = Math.floor((reader.retryMs ?? RECONNECT_MS) * (1 + pace.random()));
    settings.onRetry?.({ attempt: 1, waitMs, reason, operation: contract.id });
    await pace.sleep(waitMs, input.signal);
  }
}

function at(request: PreparedRequest, lastEventId: string | undefined): PreparedRequest {
  if (lastEventId === undefined) return request;
  return { ...request, headers: { ...request.headers, 'last-event-id': lastEventId } };
}

/** After the first connection, retries until the server is back. */
function connect(
  settings: Settings,
  pace: Pace,
  contract: Contract,
  request: PreparedRequest,
  signal: AbortSignal | undefined,
  again: boolean,
): Promise<Response> {
  const patient = again ? { ...settings, retries: Number.POSITIVE_INFINITY } : settings;
  return sendWithRetries(patient, pace, request, signal, async (response) => {
    await refuse(contract, response, pace.now());
    return response;
  });
}

async function* eventsIn(response: Response, reader: StreamReader, idleTimeoutMs: number): AsyncGenerator<RawEvent> {
  const source = response.body?.getReader();
  if (!source) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await readBeforeTimeout(source, idleTimeoutMs);
      if (done) return;
      yield* reader.take(decoder.decode(value, { stream: true }));
    }
  } finally {
    await source.cancel().catch(() => undefined);
  }
}

async function readBeforeTimeout(source: ReadableStreamDefaultReader<Uint8Array>, idleTimeoutMs: number) {
  let isIdle = false;
  const timer = setTimeout(() => {
    isIdle = true;
    void source.cancel().catch(() => undefined);
  }, idleTimeoutMs);
  try {
    const piece = await source.read();
    if (isIdle) throw new Error(`no sign of life for ${idleTimeoutMs / 1000} s`);
    return piece;
  } catch (error) {
    throw new AttemptFailure(reasonOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function read(contract: Contract, response: Response, { id, event, data }: RawEvent): StreamEvent<unknown> {
  return { id, event, data: event === 'reset' ? null : readData(contract, response, data) };
}
