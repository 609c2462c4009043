import { hash } from 'node:crypto';

/** Below this a digest costs little. */
const KEPT_FROM_BYTES = 128 * 1024;
const KEPT_MAX_BYTES = 64 * 1024 * 1024;

interface Kept {
  readonly bytes: Buffer;
  readonly digest: Buffer;
}

/** The SHA-256 of what an environment sent. */
export type DigestOfBody = (environmentId: string, bytes: Buffer) => Buffer;

/**
 * Keeps the last large bodies, as comparing one with the last costs a tenth of its digest. The longest kept make place
 * for new ones.
 */
export function createBodyDigests(maxBytes = KEPT_MAX_BYTES): DigestOfBody {
  const kept = new Map<string, Kept>();
  let size = 0;

  function forget(environmentId: string): void {
    size -= kept.get(environmentId)?.bytes.length ?? 0;
    kept.delete(environmentId);
  }

  function keep(environmentId: string, body: Kept): void {
    forget(environmentId);
    kept.set(environmentId, body);
    size += body.bytes.length;
    for (const oldest of kept.keys()) {
      if (size <= maxBytes) return;
      forget(oldest);
    }
  }

  return (environmentId, bytes) => {
    const last = kept.get(environmentId);
    if (last?.bytes.equals(bytes)) return last.digest;
    const digest = hash('sha256', bytes, 'buffer');
    if (bytes.length >= KEPT_FROM_BYTES) keep(environmentId, { bytes, digest });
    return digest;
  };
}
