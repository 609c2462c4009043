import { retryAfterMs } from '@waymark/messages';
import { findOutboundError } from '../../../platform/outbound/outbound-error.ts';
import { VERSION } from '../../../platform/version.ts';
import type { AttemptOutcome, SendAttempt, SendParts } from './outgoing.ts';

const USER_AGENT = `Waymark/${VERSION}`;

/** Temporary refusals: the receiver was too slow, had a conflict, or was overloaded. */
const PASSING = new Set([408, 409, 425, 429]);

/** Statuses whose `Retry-After` counts. */
const ASKING_FOR_PATIENCE = new Set([429, 503]);

/** Sends JSON to a URL that a customer gave. Only the status of the response counts; its body is not stored. */
export async function postJson(
  parts: Pick<SendParts, 'outbound'>,
  request: { readonly url: string; readonly body: string; readonly headers?: Readonly<Record<string, string>> },
  attempt: SendAttempt,
): Promise<AttemptOutcome> {
  const { requestId, at, signal } = attempt;
  try {
    const answer = await parts.outbound(request.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        'x-request-id': requestId,
        ...request.headers,
      },
      body: request.body,
      ignoresBody: true,
      signal,
    });
    return outcomeOf(answer.status, answer.headers.get('retry-after'), at);
  } catch (error) {
    const outbound = findOutboundError(error);
    if (!outbound) throw error;
    const final = outbound.code === 'blocked' || outbound.code === 'bad_url';
    return failure({ error: outbound.message, final });
  }
}

export function failure(
  failed: Partial<Extract<AttemptOutcome, { delivered: false }>> & { readonly error: string },
): Extract<AttemptOutcome, { delivered: false }> {
  return { delivered: false, status: null, final: false, gone: false, retryAfterMs: null, ...failed };
}

function outcomeOf(status: number, retryAfter: string | null, now: Date): AttemptOutcome {
  if (status >= 200 && status < 300) return { delivered: true, status };
  return failure({
    status,
    error: described(status),
    final: status >= 400 && status < 500 && !PASSING.has(status),
    gone: status === 410,
    retryAfterMs: ASKING_FOR_PATIENCE.has(status) ? retryAfterMs(retryAfter, now) : null,
  });
}

function described(status: number): string {
  if (status >= 300 && status < 400) return `The receiver answered ${status}, and redirects are not followed`;
  return status === 410
    ? 'The receiver answered 410: it no longer accepts messages'
    : `The receiver answered ${status}`;
}
