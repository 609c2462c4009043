import type { z } from 'zod';
import type { Role } from './roles.ts';

/** `public` needs no credential; a role is the least one that may call. */
export type Access = 'public' | Role;

export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 429 | 503;

/** A multipart form: one part of JSON text (the contract's body) and at most one file. Plain JSON is accepted as well. */
export interface Form {
  readonly json: string;
  readonly file: { readonly name: string; readonly description: string; readonly maxBytes: number };
}

/** One operation of the API. Routing, validation, access, reply check, documentation and client all follow from it. */
export interface Contract {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, parameters as `:name`. */
  readonly path: `/${string}`;
  readonly access: Access;
  /** Spec 5.2: the key as HTTP Basic user name is accepted where this says so. */
  readonly basicAuth?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly form?: Form;
  readonly status: 200 | 201 | { readonly created: 201; readonly updated: 200 };
  readonly reply: z.ZodType;
  readonly replyType?: 'application/json' | 'text/event-stream';
  readonly errors: readonly ErrorStatus[];
}

export interface UploadedFile {
  readonly filename: string;
  readonly content: Uint8Array;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler receives. */
export interface Input<C extends Contract> {
  readonly params: Parsed<C['params']>;
  readonly query: Parsed<C['query']>;
  readonly body: Parsed<C['body']>;
  readonly file: C['form'] extends Form ? UploadedFile | undefined : undefined;
}

export type Reply<C extends Contract> = z.input<C['reply']>;

export function contract<const C extends Contract>(definition: C): C {
  return definition;
}
