import { setTimeout } from 'node:timers/promises';
import { CliError } from '../run/cli-error.ts';

const TIMEOUT_MS = 10_000;
const ATTEMPTS = 3;
const MAX_BYTES = 64 * 1024;

export interface TokenRequest {
  readonly url: string;
  /** Named in errors instead of the address and the response. */
  readonly urlVariable: string;
  readonly query: Readonly<Record<string, string>>;
  readonly bearer: string;
  readonly method: 'GET' | 'POST';
  readonly field: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** Asks the CI system for a token. Neither that token nor the credential for the request is ever part of an error. */
export async function requestToken(request: TokenRequest): Promise<string> {
  const url = requestAddress(request);
  for (let attempt = 1; ; attempt++) {
    const outcome = await ask(url, request);
    if ('token' in outcome) return outcome.token;
    if (!outcome.again || attempt === ATTEMPTS) {
      throw new CliError(outcome.again ? 'unavailable' : 'denied', 'The CI system did not provide an identity token', {
        why: `${request.urlVariable}: ${outcome.problem}`,
        fix: 'Allow the job to request one, or set WAYMARK_TOKEN and WAYMARK_AUTH=token',
      });
    }
    await setTimeout(attempt * 200, undefined, { signal: request.signal });
  }
}

function requestAddress({ url: text, urlVariable, query }: TokenRequest): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLoopback = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isLoopback)) {
    throw new CliError('denied', `${urlVariable} is not an https URL, so no token is sent there`);
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  return url;
}

type Outcome = { token: string } | { problem: string; again: boolean };

async function ask(url: URL, { bearer, method, field, fetch, signal }: TokenRequest): Promise<Outcome> {
  try {
    const answer = await fetch(url, {
      method,
      // The credential must not follow a redirect to another host.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: 'application/json',
        ...(method === 'POST' ? { 'content-type': 'application/json', 'x-tfs-fedauthredirect': 'Suppress' } : {}),
      },
    });
    if (answer.ok) return tokenIn(await boundedText(answer), field);
    await answer.body?.cancel();
    return { problem: `responded with ${answer.status}`, again: answer.status >= 500 || answer.status === 429 };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    return { problem: isTimeout ? `no response within ${TIMEOUT_MS / 1000} s` : 'could not be reached', again: true };
  }
}

async function boundedText(answer: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tokenIn(text: string | undefined, field: string): Outcome {
  try {
    const answer: unknown = JSON.parse(text ?? '');
    const token = typeof answer === 'object' && answer !== null ? Reflect.get(answer, field) : undefined;
    if (typeof token === 'string' && token !== '') return { token };
  } catch {
    // Reported below, as for JSON without the field.
  }
  return { problem: `the response has no ${field}`, again: false };
}
