import type { Contract, Reply } from '@waymark/contract';
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
}

interface LooseInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  file?: { name: string; content: Blob };
  signal?: AbortSignal;
}

/** Calls operations by their contract, with their types, over `fetch`. */
export function createClient(options: ClientOptions): Client {
  return {
    async call(contract, input) {
      const loose: LooseInput = input;
      const { headers, body } = payloadOf(contract, loose);
      const response = await fetch(urlOf(options.baseUrl, contract, loose), {
        method: contract.method,
        headers: { ...headers, ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }) },
        ...(body !== undefined && { body }),
        ...(loose.signal && { signal: loose.signal }),
      });
      const answer: unknown = await response.json().catch(() => undefined);
      if (!response.ok) throw errorFrom(response, answer);
      return contract.reply.parse(answer) as never;
    },
  };
}

function urlOf(baseUrl: string, contract: Contract, input: LooseInput): string {
  const path = contract.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(input.params?.[name] ?? ''));
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
