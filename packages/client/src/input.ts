import type { Contract } from '@waymark/contract';
import type { z } from 'zod';

type Sent<S> = S extends z.ZodType ? z.input<S> : undefined;

/** What every call takes besides the parts of its contract. */
export interface CallOptions {
  /** Ends the call at once, also during the wait for a retry. */
  readonly signal?: AbortSignal | undefined;
  /** Everything is checked and answered as if it were done, but nothing is recorded. */
  readonly dryRun?: boolean | undefined;
  /** Generated for each POST and PATCH. Supply one to repeat a call from another process. */
  readonly idempotencyKey?: string | undefined;
}

/** The input of a call: the parts of its contract, and a file where it has a form. */
export type CallInput<C extends Contract> = (C['params'] extends z.ZodType ? { params: Sent<C['params']> } : unknown) &
  (C['query'] extends z.ZodType ? { query?: Sent<C['query']> } : unknown) &
  (C['headers'] extends z.ZodType ? { headers?: Sent<C['headers']> } : unknown) &
  (C['body'] extends z.ZodType ? { body: Sent<C['body']> } : unknown) &
  (C['form'] extends object ? { file?: { name: string; content: Blob } } : unknown) &
  CallOptions;

/** The same without the types of a contract. */
export interface LooseInput extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly file?: { readonly name: string; readonly content: Blob };
}
