import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Below this a digest costs little. */
const KEPT_FROM_BYTES = 128 * 1024;
const KEPT_MAX_BYTES = 64 * 1024 * 1024;

interface Kept {
  readonly bytes: Buffer;
  readonly digest: Buffer;
}

/** The SHA-256 of what an environment sent. */
export type DigestOfBody = (environmentId: string, bytes: Buffer) => Buffer;

/** Keeps the last large bodies, as comparing one with the last costs a tenth of its digest. */
export function createBodyDigests(maxBytes = KEPT_MAX_BYTES): DigestOfBody {
  const kept = new LRUCache<string, Kept>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes.length });
  return (environmentId, bytes) => {
    const last = kept.get(environmentId);
    if (last?.bytes.equals(bytes)) return last.digest;
    const digest = hash('sha256', bytes, 'buffer');
    if (bytes.length >= KEPT_FROM_BYTES) kept.set(environmentId, { bytes, digest });
    return digest;
  };
}
