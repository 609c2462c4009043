import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';

export interface SignedRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The received bytes, not parsed and serialized again. */
  readonly body: Uint8Array;
}

export type Checked =
  | { readonly kind: 'genuine'; readonly ageSeconds: number }
  | { readonly kind: 'wrong'; readonly why: string };

/**
 * Verifies a request with secrets (whsec_) and public keys (whpk_), as Standard Webhooks defines. One match is enough.
 */
export function checkSignature({ headers, body }: SignedRequest, keys: readonly string[], nowSeconds: number): Checked {
  const missing = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].find((name) => !headers[name]);
  if (missing !== undefined) return { kind: 'wrong', why: `the header ${missing} is missing` };
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!/^\d{1,12}$/.test(timestamp)) return { kind: 'wrong', why: 'webhook-timestamp is not a time in seconds' };
  const text = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${timestamp}.`), body]);
  const signatures = (headers['webhook-signature'] ?? '').split(' ');
  const isGenuine = keys.some((key) => signatures.some((signature) => isSignedWith(key, signature, text)));
  if (isGenuine) return { kind: 'genuine', ageSeconds: nowSeconds - Number(timestamp) };
  return { kind: 'wrong', why: 'no signature matches: the secret is different, or the body was changed' };
}

export function isVerifyingKey(text: string): boolean {
  const [, kind, encoded] = /^(whsec|whpk)_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  return kind === 'whsec' || (kind === 'whpk' && Buffer.from(encoded ?? '', 'base64').length === 32);
}

function isSignedWith(key: string, signature: string, text: Uint8Array): boolean {
  const [version, value = ''] = signature.split(',');
  const [kind, encoded = ''] = key.split('_');
  const given = Buffer.from(value, 'base64');
  const bytes = Buffer.from(encoded, 'base64');
  if (version === 'v1' && kind === 'whsec') {
    const expected = createHmac('sha256', bytes).update(text).digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
  if (version === 'v1a' && kind === 'whpk') {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' });
    return verify(null, text, key, given);
  }
  return false;
}
