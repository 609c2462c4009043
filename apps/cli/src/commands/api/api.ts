import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ApiError, UnexpectedAnswerError, UnreachableError } from '@waymark/client';
import { collect } from '../../resources/options.ts';
import { type CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { failureOf } from '../../run/failure.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';
import { version } from '../../run/version.ts';
import { gathered, nextPage } from './pages.ts';
import { type ApiFlags, fieldsOf, headersOf, methodOf, type RawRequest, urlOf } from './request-of.ts';

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export const command = defineCommand({
  description:
    'Reaches every endpoint of the API, including those without a command. Prints the response unchanged, even if it ' +
    'is an error; the exit code is the same as for other commands. The request is sent once, without retries. {org}, ' +
    '{flow}, and {trail} in PATH are replaced by your settings. The key is sent only to the configured host.',
  examples: [
    { say: 'List the flows of the org', run: 'waymark api GET /flows/{org}' },
    {
      say: 'Fetch all pages and print the name of each element',
      run: "waymark api GET /environments/{org} --paginate --jq '.[].name'",
    },
    {
      say: 'Send text and JSON in the body',
      run: "waymark api PATCH /tags/{org}/flow/shop --field set_tags.team=web --field 'remove_tags:=[]'",
    },
  ],
  settings: ['flow', 'trail', 'dryRun'],
  build: (command) =>
    command
      .argument('<method>', 'GET, HEAD, POST, PUT, PATCH, or DELETE')
      .argument('<path>', 'path after /api/v2, with its query')
      .option(
        '-f, --field <key=value>',
        'field of the body; key:=json for a value that is not text; can be repeated',
        collect,
      )
      .option('--body <file>', 'file with the body, or - for standard input')
      .option('-H, --header <name: value>', 'additional header; can be repeated', collect)
      .option('-i, --include', 'also print the status and the headers')
      .option('--paginate', 'with GET: fetch all pages'),
  async run(session, [method, path], { include, paginate, ...flags }) {
    const request = await requestOf(session, methodOf(method), path, flags);
    if (paginate && request.method !== 'GET') throw usageError('--paginate works only with GET');
    const answers: RawAnswer[] = [];
    const asked = new Set<string>();
    for (let next: RawRequest | undefined = request; next && !asked.has(next.url.href); ) {
      asked.add(next.url.href);
      const answer: RawAnswer = await send(session, next);
      answers.push(answer);
      next = paginate && isFine(answer) ? nextPage(next, answer.headers, jsonIn(answer)) : undefined;
    }
    return outcomeOf(session, answers, include === true);
  },
});

async function requestOf(session: Session, method: string, path: string, flags: ApiFlags): Promise<RawRequest> {
  const { field = [], body: file, header = [] } = flags;
  if (field.length > 0 && file !== undefined) throw usageError('--field and --body cannot be combined');
  const url = urlOf(session, path);
  if (session.settings.dryRun) url.searchParams.set('dry_run', 'true');
  const given = headersOf(header);
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && file !== undefined) throw usageError(`${method} requests have no body`);
  if (isRead) for (const [name, value] of Object.entries(fieldsOf(field))) url.searchParams.append(name, String(value));
  const body = isRead ? undefined : await bodyOf(session, field, file);
  return {
    method,
    url,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...((method === 'POST' || method === 'PATCH') && { 'idempotency-key': randomUUID() }),
      ...given,
    },
    body,
  };
}

async function bodyOf(
  { io }: Session,
  field: readonly string[],
  file: string | undefined,
): Promise<RawRequest['body']> {
  if (file === '-') return new Uint8Array(await io.stdin.bytes());
  if (file !== undefined) return new Uint8Array(readFileSync(resolve(io.cwd, file)));
  return field.length > 0 ? JSON.stringify(fieldsOf(field)) : undefined;
}

async function send(session: Session, request: RawRequest): Promise<RawAnswer> {
  const { io, settings } = session;
  const { key } = await session.signIn();
  const timeout = AbortSignal.timeout(settings.timeout);
  const { method, url, body } = request;
  try {
    const response = await io.fetch(url, {
      method,
      headers: {
        ...request.headers,
        'user-agent': `waymark-cli/${version}`,
        authorization: `Bearer ${key}`,
      },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.any([io.signal, timeout]),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (settings.debug === 'api') session.detail(`${method} ${url} → ${response.status}`);
    return { status: response.status, headers: response.headers, bytes };
  } catch (cause) {
    io.signal.throwIfAborted();
    const why = timeout.aborted ? `no response within ${settings.timeout / 1000} s` : 'the connection failed';
    throw new UnreachableError(why, 1, cause);
  }
}

function outcomeOf(session: Session, answers: readonly RawAnswer[], include: boolean): Outcome {
  const last = answers.at(-1);
  const failure = last && !isFine(last) ? failureIn(session, last) : undefined;
  const { output, json, jq } = session.settings;
  if (output !== 'table' || json !== undefined || jq !== undefined) {
    if (failure) throw failure;
    return { data: gathered(answers.map(jsonIn)) };
  }
  // Unchanged: a format would, for example, add a line break at the end.
  for (const answer of answers) {
    if (include) session.io.stdout.write(headText(answer));
    session.io.stdout.write(answer.bytes);
    if (answers.length > 1) session.io.stdout.write('\n');
  }
  if (failure) session.warn(failure.fix ? `${failure.message}. ${failure.fix}` : failure.message);
  return { ending: failure?.ending ?? 'done', text: '' };
}

function isFine({ status }: RawAnswer): boolean {
  return status >= 200 && status < 300;
}

function jsonIn({ bytes }: RawAnswer): unknown {
  try {
    return bytes.length === 0 ? null : JSON.parse(bytes.toString('utf8'));
  } catch {
    throw usageError('The response is not JSON', 'Leave out --jq, --json, and -o to print it unchanged');
  }
}

function failureIn(session: Session, { status, headers, bytes }: RawAnswer): CliError {
  const requestId = headers.get('x-request-id');
  const error =
    status < 400
      ? new UnexpectedAnswerError(`The response (${status}) is a redirect`, status, requestId)
      : new ApiError(status, messageIn(bytes), null, requestId);
  return failureOf(error, session.settings.host);
}

function messageIn(bytes: Buffer): string {
  try {
    const { message } = JSON.parse(bytes.toString('utf8')) as { message?: unknown };
    if (typeof message === 'string') return oneLine(message);
  } catch {
    // Reported by its status alone.
  }
  return 'The service refused the request';
}

function headText({ status, headers }: RawAnswer): string {
  return `HTTP ${status}\n${[...headers].map(([name, value]) => `${name}: ${oneLine(value)}\n`).join('')}\n`;
}
