import { concatBytes } from '../bytes.ts';

/**
 * Ed25519 by WebCrypto, which browsers and Node have. Keys are bytes, so that a caller keeps them as it likes.
 */
const NAME = 'Ed25519';
/** What stands before the 32 bytes of a private key in PKCS #8. */
const PKCS8_PREFIX = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

export const PUBLIC_KEY_BYTES = 32;
export const SEED_BYTES = 32;
export const SIGNATURE_BYTES = 64;

export async function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  try {
    const key = await crypto.subtle.importKey('raw', concatBytes(publicKey), NAME, false, ['verify']);
    return await crypto.subtle.verify(NAME, key, concatBytes(signature), concatBytes(message));
  } catch (error) {
    // The bytes are no point of the curve, so nothing can have been signed with its key.
    if (error instanceof DOMException && error.name === 'DataError') return false;
    throw error;
  }
}

export async function signEd25519(seed: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const key = await importSeed(seed, false);
  return new Uint8Array(await crypto.subtle.sign(NAME, key, concatBytes(message)));
}

export async function publicKeyOf(seed: Uint8Array): Promise<Uint8Array> {
  const { x = '' } = await crypto.subtle.exportKey('jwk', await importSeed(seed, true));
  const binary = atob(x.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function importSeed(seed: Uint8Array, extractable: boolean) {
  if (seed.length !== SEED_BYTES) throw new RangeError(`the seed of a key has ${SEED_BYTES} bytes`);
  return crypto.subtle.importKey('pkcs8', concatBytes(PKCS8_PREFIX, seed), NAME, extractable, ['sign']);
}
