import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { VERSION } from '../version.ts';
import { sendCompressed } from './compressed.ts';
import { sendNothingAt } from './errors.ts';
import type { WebFile, WebFiles } from './web-files.ts';

/**
 * Scripts are our own files alone. Styles as well, but for those that carry the nonce of this one answer: the editor and
 * the component kit make some while they run.
 */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const NOT_BUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Waymark</title><p>The web application has not been built. Run <code>pnpm build</code> and start the server again. The API works without it.';

/** The page with the address of each file in it, and the release. The build leaves out where the service is. */
export function placedAt(basePath: string, web: WebFiles): WebFiles {
  const page = web.page
    .replaceAll('"./assets/', `"${basePath}/assets/`)
    .replaceAll('__BASE__', basePath)
    .replaceAll('__VERSION__', VERSION);
  return { ...web, page };
}

export function serveAssets(http: FastifyInstance, web: WebFiles | undefined): void {
  http.get('/assets/*', (request, reply) => {
    const file = web?.assets.get(request.url.split('?')[0] ?? '');
    // While a newer version takes over, the file may be there in a moment.
    return file ? sendFile(request, reply, file) : sendNothingAt(request, reply.header('cache-control', 'no-store'));
  });
}

/**
 * Every address outside of the API that has no route is a page of the web application. A program that names JSON, or
 * names nothing, gets a 404 there instead of a page; only `/` is the page for everybody.
 */
export function isForPage({ method, url, headers: { accept = '' } }: FastifyRequest): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || /^\/(api|assets|scim)(\/|\?|$)/.test(url)) return false;
  if (accept.includes('text/html')) return true;
  if (accept.includes('json')) return false;
  return /\*\/\*|text\/\*/.test(accept) || /^\/(\?|$)/.test(url);
}

export function sendPage(reply: FastifyReply, files: WebFiles | undefined): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .code(files ? 200 : 503)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policyWith(nonce))
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .send((files?.page ?? NOT_BUILT).replaceAll('__NONCE__', nonce));
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile): FastifyReply {
  reply.type(file.type).header('cache-control', 'public, max-age=31536000, immutable');
  return sendCompressed(request, reply, file);
}
