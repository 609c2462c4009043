import { CliError, usageError } from '../run/cli-error.ts';
import type { Ending } from '../run/exit-codes.ts';
import type { Session } from '../run/session.ts';

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 20 * 1024 * 1024;

interface Question {
  /** The name of the service in messages. */
  readonly service: string;
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Statuses besides 200 that are not errors. */
  readonly accepted?: readonly number[];
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export const bearer = (token: string): string => `Bearer ${token}`;
export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Asks another service's API. An error names the service, and never contains a secret. */
export async function askJson(session: Session, question: Question): Promise<Reply> {
  const { service, accepted = [] } = question;
  const response = await sent(session, question);
  const { status, headers } = response;
  if (status !== 200 && !accepted.includes(status)) throw refusal(service, status, question.url);
  const text = await response.text();
  if (text.length > MAX_BYTES) throw new CliError('unavailable', `The response of ${service} exceeds 20 MiB`);
  if (status !== 200) return { status, body: null, headers };
  try {
    return { status, body: JSON.parse(text), headers };
  } catch (cause) {
    throw new CliError('unavailable', `The server at ${originOf(question.url)} is not ${service}`, {
      why: 'The response is not JSON',
      cause,
    });
  }
}

async function sent(
  { io }: Session,
  { service, url, method = 'GET', headers = {}, body }: Question,
): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await io.fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'waymark-cli',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A redirect to a sign-in page would look like an answer, and would leak the token.
      redirect: 'error',
      signal: AbortSignal.any([io.signal, timeout]),
    });
  } catch (cause) {
    io.signal.throwIfAborted();
    throw new CliError('unavailable', `${service} cannot be reached at ${originOf(url)}`, {
      why: timeout.aborted ? 'It did not respond in time' : reasonOf(cause),
      cause,
    });
  }
}

const ENDINGS: Readonly<Partial<Record<number, Ending>>> = {
  400: 'usage',
  401: 'denied',
  403: 'denied',
  404: 'notFound',
};
const FIXES: Readonly<Partial<Record<number, string>>> = {
  401: 'Check the token of the job and its permissions',
  403: 'Check the token of the job and its permissions',
  404: 'Check the URL and the repository; resources that the token cannot read are not found either',
};

function refusal(service: string, status: number, url: string): CliError {
  const fix = FIXES[status];
  return new CliError(ENDINGS[status] ?? 'unavailable', `${service} responded with ${status} to ${pathOf(url)}`, {
    ...(fix !== undefined && { fix }),
  });
}

function reasonOf(error: unknown): string {
  const deepest = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return deepest instanceof Error ? deepest.message : String(deepest);
}

/** The base URL of an API. Tokens go there, so it must be HTTPS, or on this machine. */
export function apiAddress(text: string, source: string): string {
  const url = URL.parse(text);
  const isLocal = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))) {
    throw usageError(`${source} must be an https:// URL`);
  }
  if (url.username || url.password) throw usageError(`${source} must not contain a user name or a password`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

const originOf = (url: string) => new URL(url).origin;
const pathOf = (url: string) => new URL(url).pathname;
