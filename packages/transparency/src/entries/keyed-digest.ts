import { concatBytes, toHex } from '../bytes.ts';
import { type Sha256, sha256 } from '../merkle/hashing.ts';
import { utf8 } from '../text.ts';

const BLOCK_BYTES = 64;
const INNER = 0x36;
const OUTER = 0x5c;

/**
 * Returns the HMAC-SHA-256 of the stored bytes of a payload, in hex, keyed with the nonce of its entry: once the nonce
 * has been erased, no guess of the payload can be confirmed.
 */
export function payloadDigest(payload: string | Uint8Array, nonce: Uint8Array, hash: Sha256 = sha256): string {
  const key = new Uint8Array(BLOCK_BYTES);
  key.set(nonce.length > BLOCK_BYTES ? hash(nonce) : nonce);
  const inner = hash(concatBytes(masked(key, INNER), typeof payload === 'string' ? utf8(payload) : payload));
  return toHex(hash(concatBytes(masked(key, OUTER), inner)));
}

function masked(key: Uint8Array, mask: number): Uint8Array {
  return key.map((byte) => byte ^ mask);
}

/** Returns the SHA-256 of the nonce of an entry followed by the name of its actor, in hex. */
export function actorDigest(actorName: string, nonce: Uint8Array, hash: Sha256 = sha256): string {
  return toHex(hash(concatBytes(nonce, utf8(actorName))));
}
