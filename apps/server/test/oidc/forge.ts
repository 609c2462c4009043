import { createHmac } from 'node:crypto';
import { type CryptoKey, decodeJwt, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface Forgery {
  /** In place of the real ones; null removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** `public_key` uses the text of the public key as a shared secret, `stranger` a key that nobody published. */
  readonly signedBy?: 'own' | 'nobody' | 'public_key' | 'stranger';
}

/** An ID token with other claims than the given one, or another signature. */
export async function forgeIdToken(
  idToken: string,
  { claims = {}, header = {}, signedBy = 'own' }: Forgery,
  own: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey; readonly keyId: string },
): Promise<string> {
  const claimed = Object.entries({ ...decodeJwt(idToken), ...claims }).filter(([, value]) => value !== null);
  const payload = Object.fromEntries(claimed) as JWTPayload;
  if (signedBy === 'nobody') return `${part({ alg: 'none', ...header })}.${part(payload)}.`;
  if (signedBy === 'public_key') {
    const unsigned = `${part({ alg: 'HS256', kid: own.keyId, ...header })}.${part(payload)}`;
    const mac = createHmac('sha256', await exportSPKI(own.publicKey)).update(unsigned);
    return `${unsigned}.${mac.digest('base64url')}`;
  }
  const { privateKey } = signedBy === 'own' ? own : await generateKeyPair('RS256');
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: own.keyId, ...header }).sign(privateKey);
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
