import { randomBytes } from 'node:crypto';

const NONCE_BYTES = 32;
/** Asking for random bytes takes several microseconds, however few they are. */
const NONCES_PER_DRAW = 256;

let drawn = randomBytes(0);

/** Random bytes that are handed out once. */
export function newNonce(): Buffer {
  if (drawn.length === 0) drawn = randomBytes(NONCE_BYTES * NONCES_PER_DRAW);
  const nonce = Buffer.copyBytesFrom(drawn, 0, NONCE_BYTES);
  drawn = drawn.subarray(NONCE_BYTES);
  return nonce;
}
