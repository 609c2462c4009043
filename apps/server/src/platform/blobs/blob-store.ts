import type { Readable } from 'node:stream';

/**
 * Evidence files, named by the SHA-256 of their content within one org. Two orgs never share a blob, so that one of
 * them can be erased alone and neither learns what the other holds. A blob is removed under the generation in which it
 * was found: content that is put meanwhile is a blob of the next one, which no removal reaches, however late it is.
 */
export interface BlobStore {
  /**
   * Resolves once the content is durable. On any failure nothing stays behind, and no more of `body` is read.
   * `created` is exact in the directory, and on S3 up to 5 MiB; see `s3Blobs` for the rest. Count by it, decide nothing.
   */
  put(org: string, body: AsyncIterable<Uint8Array>, limits: PutLimits): Promise<StoredBlob>;

  /**
   * A full read fails at its end when the content does not match its name; a range cannot be checked. Read the stream
   * or destroy it: it holds a file or a connection.
   */
  open(org: string, sha256: string, range?: ByteRange): Promise<OpenBlob | undefined>;

  stat(org: string, sha256: string): Promise<{ size: number } | undefined>;

  /** Whether this very generation is there. */
  has(org: string, sha256: string, generation: number): Promise<boolean>;

  /** Removes one generation, by default the first. Removing a missing blob is not an error. */
  remove(org: string, sha256: string, generation?: number): Promise<void>;

  /** The blobs of an org in the order of their names, after one of them, at most so many. */
  list(org: string, after: string, limit: number): Promise<ListedBlob[]>;

  /**
   * Removes what uploads interrupted by a crash left behind, up to 500 per call, and returns how many. An upload that
   * began before `olderThan` and still runs may lose its work: stay well beyond the longest upload.
   */
  sweep(olderThan: Date): Promise<number>;

  /** Rejects while the store cannot serve. */
  check(): Promise<void>;
}

export interface PutLimits {
  readonly maxBytes: number;
  readonly expectedSha256?: string | undefined;
  /**
   * Called once the digest is known and before the blob is there, with the generation to put: from then on nothing may
   * remove it. Without, it is the first.
   */
  readonly claim?: ((file: { readonly sha256: string; readonly size: number }) => Promise<number>) | undefined;
}

export interface BlobName {
  readonly sha256: string;
  readonly generation: number;
}

export interface ListedBlob extends BlobName {
  readonly name: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

export interface StoredBlob {
  readonly sha256: string;
  readonly size: number;
  readonly created: boolean;
}

/** Offsets of the first and the last byte, as in an HTTP range. An end past the blob's means its last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenBlob {
  /** Of the whole blob, also when only a range of it is read. */
  readonly size: number;
  readonly stream: Readable;
}

/** Keeps one call of `sweep` short, however much has piled up. */
export const sweepLimit = 500;
