/** A request that could not be sent, as it is kept. It holds no credential: whoever pushes brings one. */
export interface Spooled {
  /** The evidence id: however often it is sent, it is recorded once. */
  readonly id: string;
  /** Id of the contract, for example `attestJunit`. */
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  readonly file?: SpooledFile;
  /** When it happened, ISO 8601. */
  readonly claimedAt: string;
  /** What has to stay in order: `host/org/flow/trail`, or `host/org/env`. */
  readonly line: string;
  readonly host: string;
  readonly org: string;
  /** It tells how things are, so that a later one of its line takes its place. */
  readonly latestOnly?: true;
}

export interface SpooledFile {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
}

/** What is attached: itself, or the path of a file. */
export type Content = Blob | Uint8Array | string;

export interface ToSpool {
  /** Of the attempt that failed, as that may have been recorded. */
  readonly id?: string;
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  readonly file?: { readonly name: string; readonly content: Content };
  readonly claimedAt: Date;
  readonly line: string;
  readonly host: string;
  readonly org: string;
  readonly latestOnly?: true;
}

export interface Refused {
  readonly entry: Spooled;
  readonly reason: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A file of the spool that cannot be read. It is never sent, and stays until it is dropped by its name. */
export interface Damaged {
  readonly file: string;
  readonly why: string;
}

/**
 * What became of an attempt. `superseded`: the server knows something newer. `unavailable`: it may work later.
 * `unexpected`: something answered that is not the service. `denied`: the credential is not good, which says nothing
 * about what was sent.
 */
export type Sent =
  | { readonly kind: 'recorded' | 'superseded' }
  | { readonly kind: 'refused' | 'unavailable' | 'unexpected'; readonly reason: string }
  | { readonly kind: 'denied'; readonly reason: string; readonly cause: unknown };

export type Send = (entry: Spooled, content: Blob | undefined) => Promise<Sent>;
