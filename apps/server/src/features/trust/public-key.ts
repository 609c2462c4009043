import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import type { TrustedKey } from '@waymark/contract';

export interface PublicKey {
  /** PEM, SubjectPublicKeyInfo, normalized. */
  readonly pem: string;
  readonly algorithm: TrustedKey['algorithm'];
  readonly sha256: string;
}

const PEM = /^\s*-----BEGIN PUBLIC KEY-----\s[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/;
const SMALLEST_RSA_BITS = 2048;
const LARGEST_RSA_BITS = 8192;

/** Parses a key that may be trusted, or returns why not. */
export function readPublicKey(text: string): { ok: true; key: PublicKey } | { ok: false; reason: string } {
  if (text.includes('PRIVATE KEY')) {
    return refused('is a private key: send the public key, and treat the private key as disclosed');
  }
  const key = PEM.test(text) ? parse(text) : undefined;
  if (!key) return refused('must be one PEM public key, starting with BEGIN PUBLIC KEY');
  const algorithm = algorithmOf(key);
  if (!algorithm) {
    return refused(
      `must be Ed25519, ECDSA on P-256 or P-384, or RSA with ${SMALLEST_RSA_BITS} to ${LARGEST_RSA_BITS} bits`,
    );
  }
  const sha256 = hash('sha256', key.export({ type: 'spki', format: 'der' }), 'hex');
  return { ok: true, key: { pem: key.export({ type: 'spki', format: 'pem' }).toString(), algorithm, sha256 } };
}

/** Node would also accept a private key or a certificate here; anything but SubjectPublicKeyInfo was refused before. */
function parse(text: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: text, format: 'pem', type: 'spki' });
  } catch {
    return undefined;
  }
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  if (type === 'ed25519') return 'ed25519';
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ecdsa-p256';
  if (type === 'ec' && details?.namedCurve === 'secp384r1') return 'ecdsa-p384';
  const bits = type === 'rsa' || type === 'rsa-pss' ? (details?.modulusLength ?? 0) : 0;
  return bits >= SMALLEST_RSA_BITS && bits <= LARGEST_RSA_BITS ? 'rsa' : undefined;
}

function refused(reason: string) {
  return { ok: false as const, reason };
}
