import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * The prefix makes browsers refuse it unless it is secure, for this host alone and for all paths. A base path does not
 * narrow it: paths protect nothing on a host, as pages of one path can read those of another.
 */
export const SESSION_COOKIE = '__Host-waymark';

/** A session ends after this long without use. */
export const SESSION_IDLE_MS = 12 * 3_600_000;
/** A session ends after this long, however busy it is. */
export const SESSION_MAX_MS = 7 * 24 * 3_600_000;

/** A session is valid if it was used after the first moment and begun after the second. */
export function sessionBounds(now: Date): { readonly seenAfter: Date; readonly begunAfter: Date } {
  const at = now.getTime();
  return { seenAfter: new Date(at - SESSION_IDLE_MS), begunAfter: new Date(at - SESSION_MAX_MS) };
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/**
 * Proves that one of our own pages, and no other site, sent a request. Only the holder of the cookie can compute it.
 */
export function csrfTokenOf(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('csrf').digest('base64url');
}

export function isCsrfTokenOf(sessionSecret: string, token: unknown): boolean {
  const [sent, right] = [hashSecret(String(token)), hashSecret(csrfTokenOf(sessionSecret))];
  return timingSafeEqual(sent, right);
}

/**
 * The value of a cookie in a `Cookie` header. When it is sent twice, nobody can tell which one is ours, so neither
 * counts.
 */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}

/** A `Set-Cookie` header. Without a time it lasts as long as the browser's session; 0 removes it. */
export function cookie(name: string, value: string, maxAgeSeconds?: number): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${age}`;
}
