import { unauthenticated } from '../errors.ts';
import { hashKey, isKeyText } from './key-text.ts';
import { cookieIn, hashSecret, SESSION_COOKIE } from './session-cookie.ts';

/** The credential of a request. Its text goes no further than here and the CSRF check. */
export type SentCredential =
  | { readonly kind: 'key'; readonly hash: Buffer }
  | { readonly kind: 'session'; readonly hash: Buffer; readonly secret: string };

const REQUIRED = 'An API key is required: send it as "Authorization: Bearer <key>"';

/** A request with an `Authorization` header is judged by that alone, even if the header is invalid. */
export function credentialOf(
  headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined },
  basicAllowed: boolean,
): SentCredential {
  if (headers.authorization !== undefined) {
    return { kind: 'key', hash: hashKey(keyFrom(headers.authorization, basicAllowed)) };
  }
  const secret = cookieIn(headers.cookie, SESSION_COOKIE);
  if (secret === undefined) throw unauthenticated(REQUIRED);
  return { kind: 'session', hash: hashSecret(secret), secret };
}

function keyFrom(header: string, basicAllowed: boolean): string {
  if (header === '') throw unauthenticated(REQUIRED);
  const [scheme = '', credential = ''] = header.split(' ', 2);
  const isBasic = scheme.toLowerCase() === 'basic' && basicAllowed;
  if (scheme.toLowerCase() !== 'bearer' && !isBasic) {
    throw unauthenticated('Only "Authorization: Bearer <key>" is accepted here');
  }
  const key = isBasic ? userNameOf(credential) : credential;
  if (!isKeyText(key)) throw unauthenticated('Not a valid API key: it looks mistyped or truncated');
  return key;
}

function userNameOf(credential: string): string {
  return Buffer.from(credential, 'base64').toString().split(':', 1)[0] ?? '';
}
