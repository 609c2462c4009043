/** A stored request that could not be sent. It holds no credential: the pushing process supplies one. */
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
  /** What must stay in order: `host/org/flow/trail`, or `host/org/env`. */
  readonly line: string;
  readonly host: string;
  readonly org: string;
  /** It describes the current state, so a later one of its line replaces it. */
  readonly latestOnly?: true;
}

export interface SpooledFile {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
}

/** The attachment: its bytes, or the path of a file. */
export type Content = Blob | Uint8Array | string;

export interface ToSpool {
  /** Of the failed attempt, as that may have been recorded. */
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

/** An unreadable file of the spool. It is never sent, and stays until it is dropped by its name. */
export interface Damaged {
  readonly file: string;
  readonly why: string;
}

/**
 * The outcome of an attempt. `superseded`: the server has a newer report. `unavailable`: it may work later.
 * `unexpected`: another server answered. `denied`: the credential was refused, which says nothing about the entry.
 */
export type Sent =
  | { readonly kind: 'recorded' | 'superseded' }
  | { readonly kind: 'refused' | 'unavailable' | 'unexpected'; readonly reason: string }
  | { readonly kind: 'denied'; readonly reason: string; readonly cause: unknown };

export type Send = (entry: Spooled, content: Blob | undefined) => Promise<Sent>;
