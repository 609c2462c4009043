import { requestIdOf } from './answer.ts';
import { ApiError, ApprovalRequiredError, InvalidInputError, UnexpectedAnswerError } from './errors.ts';
import type { Exchange, Settings } from './options.ts';
import type { Pace } from './pace.ts';
import { type PreparedRequest, sendable } from './request.ts';

/** One attempt without a complete response. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure';
}

/** Sends once. The time limit covers `read` as well. */
export async function attempt<T>(
  settings: Settings,
  pace: Pace,
  request: PreparedRequest,
  signal: AbortSignal | undefined,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const headers = {
    ...request.headers,
    ...(request.needsKey && (await unlessAborted(authorizationOf(settings), signal))),
  };
  signal?.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), request.timeoutMs);
  const startedAt = pace.now();
  const seen: { response?: Response; error?: string } = {};
  try {
    const doFetch = settings.fetch ?? fetch;
    seen.response = await doFetch(request.url, {
      method: request.method,
      headers,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      ...(request.body !== undefined && { body: request.body }),
    });
    return await read(seen.response);
  } catch (error) {
    const failure = failureFrom(error, signal, limit.signal.aborted ? request.timeoutMs : undefined);
    seen.error = failure instanceof Error ? failure.message : String(failure);
    throw failure;
  } finally {
    clearTimeout(timer);
    settings.onExchange?.(exchangeOf(request, seen, pace.now() - startedAt));
  }
}

/** The key provider may be slow, and does not know the signal. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function authorizationOf({ apiKey }: Settings): Promise<{ authorization?: string }> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  return key ? { authorization: `Bearer ${sendable('apiKey', key)}` } : {};
}

function failureFrom(error: unknown, signal: AbortSignal | undefined, timedOutAfterMs: number | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (isVerdict(error)) return error;
  if (timedOutAfterMs !== undefined) return new AttemptFailure(`no answer within ${timedOutAfterMs / 1000} s`);
  return new AttemptFailure(reasonOf(error), { cause: error });
}

const ANSWERS = [ApiError, ApprovalRequiredError, UnexpectedAnswerError, InvalidInputError];

function isVerdict(error: unknown): boolean {
  return ANSWERS.some((kind) => error instanceof kind);
}

/** fetch itself only says that it failed: the reason is the innermost cause. */
export function reasonOf(error: unknown): string {
  let reason = 'the connection failed';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    reason = cause.message || (cause as { code?: string }).code || reason;
  }
  return reason;
}

function exchangeOf(
  { method, url }: PreparedRequest,
  { response, error }: { response?: Response; error?: string },
  ms: number,
): Exchange {
  return {
    method,
    url,
    ms,
    ...(response && { status: response.status, requestId: requestIdOf(response.headers) }),
    ...(error !== undefined && { error }),
  };
}
