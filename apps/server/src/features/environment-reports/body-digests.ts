import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Below this a digest costs little. */
const CACHED_FROM_BYTES = 128 * 1024;
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

interface CachedBody {
  readonly bytes: Buffer;
  readonly digest: Buffer;
}

/** The SHA-256 of what an environment sent. */
export type DigestOfBody = (environmentId: string, bytes: Buffer) => Buffer;

/** Caches the last large bodies: comparing two bodies costs a tenth of a digest. */
export function createBodyDigests(maxBytes = MAX_CACHE_BYTES): DigestOfBody {
  const cache = new LRUCache<string, CachedBody>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes.length });
  return (environmentId, bytes) => {
    const last = cache.get(environmentId);
    if (last?.bytes.equals(bytes)) return last.digest;
    const digest = hash('sha256', bytes, 'buffer');
    if (bytes.length >= CACHED_FROM_BYTES) cache.set(environmentId, { bytes, digest });
    return digest;
  };
}
