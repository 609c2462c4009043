import type { FastifyRequest } from 'fastify';
import { forbidden } from '../errors.ts';
import { isCsrfTokenOf } from './session-cookie.ts';

const NOT_OURS =
  'Requests that change something with a session need its CSRF token in the X-CSRF-Token header, and must come ' +
  'from a page of this service';

/** Spec 5.4: a change authorized only by a session must come from one of our own pages. */
export function requireOwnPage(
  { publicUrl }: { readonly publicUrl: string },
  sessionSecret: string,
  { headers }: Pick<FastifyRequest, 'headers'>,
): void {
  if (!isFromOwnOrigin(publicUrl, headers) || !isCsrfTokenOf(sessionSecret, headers['x-csrf-token'])) {
    throw forbidden(NOT_OURS);
  }
}

/**
 * Browsers send where a request comes from; a client that does not is not a browser, or an old one that still has the
 * token.
 */
export function isFromOwnOrigin(publicUrl: string, headers: FastifyRequest['headers']): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return headers.origin === undefined || headers.origin === new URL(publicUrl).origin;
}
