import { algorithmOf, type SignatureAlgorithm } from './algorithms.ts';
import { type Element, readElement, TAGS } from './element.ts';
import { fieldsOf, malformed, oidOf } from './fields.ts';
import { TimeStampError } from './time-stamp-error.ts';

const CURVES: Readonly<Record<string, { readonly name: string; readonly bytes: number }>> = {
  '1.2.840.10045.3.1.7': { name: 'P-256', bytes: 32 },
  '1.3.132.0.34': { name: 'P-384', bytes: 48 },
  '1.3.132.0.35': { name: 'P-521', bytes: 66 },
};
const MIN_RSA_BITS = 2048;

interface Signed {
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Element;
  readonly algorithm: SignatureAlgorithm;
  readonly signature: Uint8Array;
  readonly data: Uint8Array;
}

/** Verifies a signature with WebCrypto. `what` is what was signed. */
export async function isSignedBy({ publicKey, algorithm, signature, data }: Signed, what: string): Promise<boolean> {
  const curve = algorithm.kind === 'ecdsa' ? curveOf(publicKey, what) : undefined;
  const bytes = curve ? plainSignature(signature, curve.bytes, what) : signature;
  const key = await importKey(publicKey, algorithm, curve?.name, what);
  return crypto.subtle.verify(verifyParameters(algorithm), key, copyOf(bytes), copyOf(data));
}

async function importKey(
  publicKey: Element,
  algorithm: SignatureAlgorithm,
  namedCurve: string | undefined,
  what: string,
): Promise<CryptoKey> {
  try {
    const parameters = keyParameters(algorithm, namedCurve);
    const key = await crypto.subtle.importKey('spki', copyOf(publicKey.raw), parameters, false, ['verify']);
    const { modulusLength = MIN_RSA_BITS } = key.algorithm as { modulusLength?: number };
    if (modulusLength < MIN_RSA_BITS) throw new TimeStampError(`the key of the signer of ${what} is too short`);
    return key;
  } catch (error) {
    if (error instanceof TimeStampError) throw error;
    throw new TimeStampError(`the key of the signer of ${what} does not fit its signature`, { cause: error });
  }
}

function keyParameters(algorithm: SignatureAlgorithm, namedCurve: string | undefined) {
  if (algorithm.kind === 'ed25519') return { name: 'Ed25519' };
  if (algorithm.kind === 'ecdsa') return { name: 'ECDSA', namedCurve: namedCurve ?? '' };
  return { name: algorithm.kind === 'rsa' ? 'RSASSA-PKCS1-v1_5' : 'RSA-PSS', hash: algorithm.hash };
}

function verifyParameters(algorithm: SignatureAlgorithm) {
  if (algorithm.kind === 'ed25519') return { name: 'Ed25519' };
  if (algorithm.kind === 'ecdsa') return { name: 'ECDSA', hash: algorithm.hash };
  if (algorithm.kind === 'rsa') return { name: 'RSASSA-PKCS1-v1_5' };
  return { name: 'RSA-PSS', saltLength: algorithm.saltLength };
}

function curveOf(publicKey: Element, what: string) {
  const { parameters } = algorithmOf(publicKey.children[0], what);
  const curve = parameters?.tag === TAGS.oid ? CURVES[oidOf(parameters, what)] : undefined;
  if (!curve) throw new TimeStampError(`the key of the signer of ${what} is on a curve that is not supported`);
  return curve;
}

/** WebCrypto takes both numbers in their full length, where ASN.1 has two integers. */
function plainSignature(signature: Uint8Array, size: number, what: string): Uint8Array {
  const fields = fieldsOf(readElement(signature, what), what);
  const numbers = [fields.next(TAGS.integer), fields.next(TAGS.integer)];
  fields.end();
  const bytes = new Uint8Array(2 * size);
  for (const [i, { content }] of numbers.entries()) {
    const digits = content[0] === 0 ? content.subarray(1) : content;
    if (digits.length > size) throw malformed(what);
    bytes.set(digits, (i + 1) * size - digits.length);
  }
  return bytes;
}

/** As WebCrypto wants it: not a view of memory that could be shared. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
