import { randomBytes } from 'node:crypto';

const NONCE_BYTES = 32;
/** Asking for random bytes takes several microseconds, however few they are. */
const DRAWN_AT_ONCE = 256;

let drawn = randomBytes(0);

/** Random bytes that nobody else gets. */
export function newNonce(): Buffer {
  if (drawn.length === 0) drawn = randomBytes(NONCE_BYTES * DRAWN_AT_ONCE);
  const nonce = Buffer.copyBytesFrom(drawn, 0, NONCE_BYTES);
  drawn = drawn.subarray(NONCE_BYTES);
  return nonce;
}
