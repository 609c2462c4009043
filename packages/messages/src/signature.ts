import { createHmac, type KeyObject, sign as signBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** The signed content, as in Standard Webhooks 1.0.0. */
export function signedText(id: string, timestampSeconds: number, body: string): string {
  return `${id}.${timestampSeconds}.${body}`;
}

/** `v1,…` with a `whsec_…` that both sides have. */
export function sign(secret: string, text: string): string {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error(`the secret of a webhook begins with ${SECRET_PREFIX}`);
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

/** `v1a,…` by an Ed25519 key, of which receivers have the public half. */
export function signAsymmetric(privateKey: KeyObject, text: string): string {
  return `v1a,${signBytes(null, Buffer.from(text), privateKey).toString('base64')}`;
}
