/** A file of a package, or something else in its archive or directory. */
export interface PackageEntry {
  /** As in the archive: it may lead anywhere. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'other';
  readonly content: AsyncIterable<Uint8Array>;
}

/** The archive cannot be read to its end. */
export class BrokenArchiveError extends Error {
  override readonly name = 'BrokenArchiveError';
}

/** Computes the SHA-256 of a file piece by piece. */
export interface FileDigest {
  update(bytes: Uint8Array): unknown;
  /** Lowercase hex. */
  hex(): string;
}
