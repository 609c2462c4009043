import { type Contract, type FileContract, fillPath, type Reply } from '@waymark/contract';
import type { z } from 'zod';

export interface ClientOptions {
  /** Including the path prefix, for example `https://waymark.example.com/api/v2`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
}

type Sent<S> = S extends z.ZodType ? z.input<S> : undefined;

/** What a call takes: the parts its contract has, and a file where it has a form. */
export type CallInput<C extends Contract> = (C['params'] extends z.ZodType ? { params: Sent<C['params']> } : unknown) &
  (C['query'] extends z.ZodType ? { query?: Sent<C['query']> } : unknown) &
  (C['headers'] extends z.ZodType ? { headers?: Sent<C['headers']> } : unknown) &
  (C['body'] extends z.ZodType ? { body: Sent<C['body']> } : unknown) &
  (C['form'] extends object ? { file?: { name: string; content: Blob } } : unknown) & { signal?: AbortSignal };

/** An answer that says no. `fields` tells what is wrong where, when the request was not valid. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly fields: Readonly<Record<string, string>> | null;
  readonly requestId: string | null;

  constructor(status: number, message: string, fields: Record<string, string> | null, requestId: string | null) {
    super(message);
    this.status = status;
    this.fields = fields;
    this.requestId = requestId;
  }
}

export interface Client {
  call<C extends Contract>(contract: C, input: CallInput<C>): Promise<z.output<C['reply']> & Reply<C>>;
  /** The answer of an operation that sends a file, as soon as it begins; reading it fails if it is cut off. */
  download<C extends FileContract>(contract: C, input: CallInput<C>): Promise<Response>;
}

interface LooseInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
  file?: { name: string; content: Blob };
  signal?: AbortSignal;
}

/** Calls operations by their contract, with their types, over `fetch`. */
export function createClient(options: ClientOptions): Client {
  return {
    async call(contract, input) {
      const response = await send(options, contract, input);
      return contract.reply.parse(await response.json().catch(() => undefined)) as never;
    },
    download: (contract, input) => send(options, contract, input),
  };
}

async function send(options: ClientOptions, contract: Contract, input: LooseInput): Promise<Response> {
  const { headers, body } = payloadOf(contract, input);
  const response = await fetch(urlOf(options.baseUrl, contract, input), {
    method: contract.method,
    headers: {
      ...declaredOf(input),
      ...(contract.beta && { 'waymark-beta': contract.beta }),
      ...headers,
      ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }),
    },
    ...(body !== undefined && { body }),
    ...(input.signal && { signal: input.signal }),
  });
  if (!response.ok) throw errorFrom(response, await response.json().catch(() => undefined));
  return response;
}

function declaredOf({ headers = {} }: LooseInput): Record<string, string> {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, String(value)]));
}

function urlOf(baseUrl: string, contract: Contract, input: LooseInput): string {
  const path = fillPath(contract, (name) => encodeURIComponent(input.params?.[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const item of [value].flat()) if (item !== undefined) search.append(name, String(item));
  }
  return `${baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`;
}

function payloadOf(
  contract: Contract,
  input: LooseInput,
): { headers: Record<string, string>; body?: string | FormData } {
  if (contract.form && input.file) {
    const form = new FormData();
    form.append(contract.form.json, JSON.stringify(input.body));
    form.append(contract.form.file.name, input.file.content, input.file.name);
    return { headers: {}, body: form };
  }
  if (input.body === undefined) return { headers: {} };
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input.body) };
}

function errorFrom(response: Response, answer: unknown): ApiError {
  const { message, errors } = (answer ?? {}) as { message?: string; errors?: Record<string, string> | null };
  const text = message ?? `${response.status} ${response.statusText}`;
  return new ApiError(response.status, text, errors ?? null, response.headers.get('x-request-id'));
}
