import type { KeyObject, SigningOptions } from 'node:crypto';
import { constants, createPublicKey, verify } from 'node:crypto';
import { dsse } from '@sigstore/core';
import type { Envelope } from './dsse.ts';
import type { Check, TrustedKey } from './trust.ts';

type Signature = Envelope['signatures'][number];

interface Scheme extends SigningOptions {
  digest: 'sha256' | 'sha384' | null;
}

const SMALLEST_RSA_BITS = 2048;
const PSS: Scheme = {
  digest: 'sha256',
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_AUTO,
};
const PKCS1: Scheme = { digest: 'sha256', padding: constants.RSA_PKCS1_PADDING };

/** One signature of one trusted key is enough; others on the same envelope do not matter. */
export function checkKeys(envelope: Envelope, keys: readonly TrustedKey[]): Check {
  if (keys.length === 0) return { verified: false, reason: 'It is signed with a key, and no key is trusted.' };
  const signed = dsse.preAuthEncoding(envelope.payloadType, envelope.payload);
  for (const signature of envelope.signatures) {
    const by = candidates(signature, keys).find((key) => isSignedBy(key, signed, signature.sig));
    if (by) return { verified: true, by: { kind: 'key', id: by.id, name: by.name } };
  }
  return { verified: false, reason: 'No trusted key made a signature on it.' };
}

/** The key id is an unsigned hint: it may narrow the search and proves nothing. */
function candidates({ keyid }: Signature, keys: readonly TrustedKey[]): readonly TrustedKey[] {
  const named = keys.filter((key) => key.id === keyid || key.name === keyid);
  return named.length > 0 ? named : keys;
}

function isSignedBy(trusted: TrustedKey, signed: Buffer, signature: Buffer): boolean {
  const key = publicKeyOf(trusted);
  return key !== undefined && schemesOf(key).some((scheme) => fits(key, scheme, signed, signature));
}

function fits(key: KeyObject, { digest, ...options }: Scheme, signed: Buffer, signature: Buffer): boolean {
  try {
    return verify(digest, signed, { key, ...options }, signature);
  } catch {
    return false;
  }
}

function publicKeyOf({ publicKey }: TrustedKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: publicKey, format: 'pem', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** P-384 is used with either digest in the wild. A kind of key that is not here verifies nothing. */
function schemesOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): Scheme[] {
  if (type === 'ed25519') return [{ digest: null }];
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return [{ digest: 'sha256' }];
  if (type === 'ec' && details?.namedCurve === 'secp384r1') return [{ digest: 'sha384' }, { digest: 'sha256' }];
  if ((details?.modulusLength ?? 0) < SMALLEST_RSA_BITS) return [];
  if (type === 'rsa') return [PSS, PKCS1];
  return type === 'rsa-pss' ? [PSS] : [];
}
