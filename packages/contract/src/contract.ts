import { z } from 'zod';
import { type Access, controlRuleOf } from './permissions.ts';

/** Features that may still change. A caller names one in the header `Waymark-Beta`, or the org has turned it on. */
export type Beta = 'controls';

/** The statuses of an operation itself. */
type OwnErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 429 | 503;

/** Any request may be answered with `408`, `431` and `500`, so no contract lists them. */
export type ErrorStatus = OwnErrorStatus | 408 | 431 | 500;

interface FilePart {
  readonly name: string;
  readonly description: string;
}

/** A small file, passed to the handler whole. */
interface BufferedFilePart extends FilePart {
  readonly maxBytes: number;
  readonly store?: never;
}

/** A file that is streamed into the evidence store. By default the installation limits its size. */
interface StoredFilePart extends FilePart {
  readonly maxBytes?: number;
  readonly store: true;
}

/** A multipart form: one part of JSON text (the contract's body) and at most one file. Plain JSON is accepted as well. */
export interface Form {
  readonly json: string;
  readonly file: BufferedFilePart | StoredFilePart;
}

/** Types of file replies. */
export const fileTypes = [
  'application/gzip',
  'application/octet-stream',
  'application/pdf',
  'text/csv',
  'text/html',
  'text/plain',
] as const;
export type FileType = (typeof fileTypes)[number];

/** Bodies and errors of SCIM have the form of its standard. */
export type JsonType = 'application/json' | 'application/scim+json';

/** One operation of the API. Routing, validation, access, reply check, documentation and client all follow from it. */
export interface Contract {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, parameters as `:name`; `*name` at the end takes the rest, slashes included. */
  readonly path: `/${string}`;
  readonly access: Access;
  /** Spec 5.2: the key as HTTP Basic user name is accepted here. */
  readonly basicAuth?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Request headers that the handler reads, by their names in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Of a JSON body; 1 MiB unless given. */
  readonly bodyMaxBytes?: number;
  readonly form?: Form;
  /** 204 is answered without a body; its reply is `NoReply`. */
  readonly status: 200 | 201 | 204 | { readonly created: 201; readonly updated: 200 };
  readonly reply: z.ZodType;
  readonly replyType?: JsonType | 'text/event-stream' | FileType;
  /** An alternative type of the reply, for clients whose `Accept` names it. */
  readonly alsoAs?: 'application/x-ndjson';
  /** An alternative type of the file that the caller may choose. */
  readonly orAsFile?: FileType | 'application/json';
  /** Headers of the response: name to description. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
  /**
   * The secret field of the reply. It is sent once and never stored: a repeat with the same Idempotency-Key is refused
   * with the `id` of the created resource.
   */
  readonly shownOnce?: string;
  /**
   * `dry_run=true` does everything and rolls it back, and answers as if it were done. Only for operations that change
   * nothing but the database.
   */
  readonly dryRun?: true;
  /** The reply carries an `ETag`; a request whose `If-None-Match` names it is answered with 304 and no body. */
  readonly conditional?: true;
  /** It adds permanent data, so it is refused while the storage quota of the org is used up. */
  readonly addsEvidence?: true;
  readonly errors: readonly OwnErrorStatus[];
  readonly deprecated?: true;
  readonly beta?: Beta;
}

/** An operation whose reply is a file. */
export type FileContract = Contract & { readonly replyType: FileType };

/** The reply of an operation that answers 204. */
export const NoReply = z.undefined();

/** The reply of an operation that sends a file: bytes without a shape to check. */
export const BinaryReply = z.string();

export function isFileContract(contract: Contract): contract is FileContract {
  return fileTypes.some((type) => type === contract.replyType);
}

export interface UploadedFile {
  readonly filename: string;
  readonly content: Uint8Array;
}

/** A file that is in the evidence store. */
export interface StoredFile {
  readonly filename: string;
  readonly sha256: string;
  readonly size: number;
}

type FileOf<F> = F extends { file: { store: true } } ? StoredFile : F extends Form ? UploadedFile : never;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler receives. */
export interface Input<C extends Contract> {
  readonly params: Parsed<C['params']>;
  readonly query: Parsed<C['query']>;
  readonly headers: Parsed<C['headers']>;
  readonly body: Parsed<C['body']>;
  readonly file: FileOf<C['form']> | undefined;
}

export type Reply<C extends Contract> = z.input<C['reply']>;

/** Returns every status with which an operation may fail. */
export function errorsOf(contract: Contract): ErrorStatus[] {
  const { errors, method } = contract;
  const all = new Set<ErrorStatus>([...errors, 400, 408, 431, 500]);
  // A body may be sent with any of these, whether the operation reads one or not.
  if (method !== 'GET') all.add(413);
  // The limit of changes that wait for approval.
  if (controlRuleOf(contract)) all.add(409);
  return [...all].sort((a, b) => a - b);
}

/** Returns the path of an operation with each parameter replaced. */
export function fillPath({ path }: Contract, fill: (name: string, takesRest: boolean) => string): string {
  return path.replace(/([:*])(\w+)/g, (_, sign: string, name: string) => fill(name, sign === '*'));
}

export function contract<const C extends Contract>(definition: C): C {
  return definition;
}
