import { ChangeRequest, type Contract } from '@waymark/contract';
import { ApiError, ApprovalRequiredError, UnexpectedAnswerError } from './errors.ts';
import { readRetryAfter } from './retry-after.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** These statuses mean the same from any server: a proxy has no JSON for them. */
const MEAN_THE_SAME = new Set([413, 429, 502, 503, 504]);

/** The response when another person has to approve a change. */
const HELD = 202;

export async function readAnswer(contract: Contract, response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, headers, body: readData(contract, response, await response.text()) };
}

/** JSON text in the shape of the contract. */
export function readData(contract: Contract, response: Response, text: string): unknown {
  const read = contract.reply.safeParse(jsonOf(contract, response, text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
  throw unexpected(
    contract,
    response,
    `has another shape${where} (${issue?.message}): are server and client of one age?`,
  );
}

/** An older server ignores dry runs, and would make the change for real. */
export function requireDryRun(contract: Contract, response: Response): void {
  if (response.headers.get('waymark-dry-run') === 'true') return;
  throw unexpected(contract, response, 'is not that of a dry run: the server knows none here, and has done it');
}

/** Throws for every answer that is not a success. */
export async function refuse(contract: Contract, response: Response, nowMs: number): Promise<void> {
  if (response.status === HELD) throw heldBy(contract, response, await response.text());
  if (response.ok) return;
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    await response.body?.cancel();
    const target = URL.parse(response.headers.get('location') ?? '', response.url || undefined);
    const where = target ? ` to ${target.origin}${target.pathname}` : '';
    throw unexpected(contract, response, `leads on${where}: use the address that needs no redirection`);
  }
  throw errorFrom(contract, response, await response.text(), nowMs);
}

function heldBy(contract: Contract, response: Response, text: string): Error {
  const held = ChangeRequest.safeParse(parsed(text));
  return held.success ? new ApprovalRequiredError(held.data) : notOurs(contract, response);
}

function errorFrom(contract: Contract, response: Response, text: string, nowMs: number): Error {
  const { status, headers } = response;
  const problem = problemOf(text);
  if (!problem && !MEAN_THE_SAME.has(status)) return notOurs(contract, response);
  return new ApiError(
    status,
    problem?.message ?? `${status} ${response.statusText}`.trim(),
    problem?.fields ?? null,
    requestIdOf(headers),
    readRetryAfter(headers.get('retry-after'), nowMs),
  );
}

/** An error as the API sends it; SCIM has another name for the text. */
function problemOf(text: string): { message: string; fields: Record<string, string> | null } | undefined {
  const { message, detail, errors } = (parsed(text) ?? {}) as Readonly<Record<string, unknown>>;
  const explanation = message ?? detail;
  if (typeof explanation !== 'string') return undefined;
  return { message: explanation, fields: (errors as Record<string, string> | null | undefined) ?? null };
}

function jsonOf(contract: Contract, response: Response, text: string): unknown {
  if (text === '') return undefined;
  const value = parsed(text);
  if (value === undefined) throw notOurs(contract, response);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function requestIdOf(headers: Headers): string | null {
  return headers.get('x-request-id');
}

function notOurs(contract: Contract, response: Response): UnexpectedAnswerError {
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'of no type';
  return unexpected(
    contract,
    response,
    `is not one of the API but ${type}: is the address right, and is a proxy in between?`,
  );
}

function unexpected(contract: Contract, response: Response, what: string): UnexpectedAnswerError {
  const { status, headers } = response;
  return new UnexpectedAnswerError(`The answer to ${contract.id} (${status}) ${what}`, status, requestIdOf(headers));
}
