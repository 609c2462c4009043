import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The prefix makes browsers refuse it unless it is secure, for this host alone and for all paths. */
export const SESSION_COOKIE = '__Host-waymark';

/** Without being seen for this long a session ends. */
export const SESSION_IDLE_MS = 12 * 3_600_000;
/** A session ends after this long, however busy it is. */
export const SESSION_MAX_MS = 7 * 24 * 3_600_000;

/** A session is good that was seen after the one moment, and begun after the other. */
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

/** What a page of ours proves with that it, and no other site, sends a request. Only the holder of the cookie can tell it. */
export function csrfTokenOf(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('csrf').digest('base64url');
}

export function isCsrfTokenOf(sessionSecret: string, token: unknown): boolean {
  const [sent, right] = [hashSecret(String(token)), hashSecret(csrfTokenOf(sessionSecret))];
  return timingSafeEqual(sent, right);
}

/** The value of a cookie in a `Cookie` header. When one is sent twice nobody can tell which is ours, so neither counts. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}

/** A `Set-Cookie` header. Without a time it lasts as long as the browser's session; 0 takes it back. */
export function cookie(name: string, value: string, maxAgeSeconds?: number): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${age}`;
}
