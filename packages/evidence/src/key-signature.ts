import type { KeyObject, SigningOptions } from 'node:crypto';
import { constants, createPublicKey, hash, verify } from 'node:crypto';
import { dsse } from '@sigstore/core';
import type { Envelope } from './dsse.ts';
import { quoted } from './shorten.ts';
import type { Check, SignatureFault, Signer, TrustedKey } from './trust.ts';

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

/** One signature of one trusted key is enough. Signatures of others on the same envelope do not matter. */
export function checkKeys(envelope: Envelope, keys: readonly TrustedKey[]): Check {
  if (keys.length === 0) {
    return unproven('signer_unknown', 'A key signed it, and the org trusts no key.', null);
  }
  const signed = dsse.preAuthEncoding(envelope.payloadType, envelope.payload);
  let claimed: TrustedKey | undefined;
  const found = new Set<TrustedKey>();
  for (const signature of envelope.signatures) {
    const named = keys.find((key) => isNamed(key, signature.keyid));
    const by = (named ? [named] : keys).find((key) => isSignedBy(key, signed, signature.sig));
    if (by) found.add(by);
    else claimed ??= named;
  }
  const [first, ...others] = Array.from(found, signerOf);
  if (first) return { verified: true, signers: [first, ...others] };
  if (!claimed) {
    const reason = 'No trusted key matches its signature: another key signed it, or it was changed after signing.';
    return unproven('signature_unmatched', reason, null);
  }
  const reason = `Its signature names the trusted key ${quoted(claimed.name)} and is not valid: it was changed after signing, or another key signed it.`;
  return unproven('signature_invalid', reason, claimed);
}

function unproven(fault: SignatureFault, reason: string, claimed: TrustedKey | null): Check {
  return { verified: false, fault, reason, claimed: claimed && signerOf(claimed) };
}

function signerOf({ id, name }: TrustedKey): Signer {
  return { kind: 'key', id, name };
}

/**
 * The key id is an unsigned hint: it may narrow the search and proves nothing. Signing tools write the SHA-256 of the
 * key there, in hex or in base64.
 */
function isNamed(trusted: TrustedKey, keyid: string | null | undefined): boolean {
  if (!keyid) return false;
  if (trusted.id === keyid || trusted.name === keyid) return true;
  const digest = digestOf(trusted);
  return digest !== undefined && (digest.toString('hex') === keyid || digest.toString('base64') === keyid);
}

function digestOf(trusted: TrustedKey): Buffer | undefined {
  const der = publicKeyOf(trusted)?.export({ type: 'spki', format: 'der' });
  return der && hash('sha256', der, 'buffer');
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

/** P-384 is used with either digest in practice. Unlisted kinds of keys verify nothing. */
function schemesOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): Scheme[] {
  if (type === 'ed25519') return [{ digest: null }];
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return [{ digest: 'sha256' }];
  if (type === 'ec' && details?.namedCurve === 'secp384r1') return [{ digest: 'sha384' }, { digest: 'sha256' }];
  if ((details?.modulusLength ?? 0) < SMALLEST_RSA_BITS) return [];
  if (type === 'rsa') return [PSS, PKCS1];
  return type === 'rsa-pss' ? [PSS] : [];
}
