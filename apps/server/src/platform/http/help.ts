import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { takesGzip } from './compressed.ts';
import { sendNothingAt } from './errors.ts';
import { isForPage } from './web-app.ts';
import type { WebFiles } from './web-files.ts';

const compress = promisify(gzip);

/** Of the documentation site, in the folder of the web application. It was built for this path. */
const PATH = '/help/';

/** Nothing else is sent, whatever lies in the folder. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Names of the build; none of them leads out of its folder. */
const NAME = /^(?:[\w@-][\w@.-]*\/)*[\w@-][\w@.-]*$/;
const CACHE_BYTES = 4 * 1024 * 1024;

interface HelpFile {
  readonly type: string;
  readonly body: Buffer;
  readonly isGzipped: boolean;
  readonly policy?: string;
}

/** Serves the documentation of this version. Files are read when they are asked for: most never are. */
export function serveHelp(http: FastifyInstance, web: WebFiles | undefined, basePath: string): void {
  // A file may be empty, and the cache accepts no size of 0.
  const sizeCalculation = ({ body }: HelpFile) => body.length + 1;
  const cache = new LRUCache<string, HelpFile>({ maxSize: CACHE_BYTES, sizeCalculation });
  const read = async (name: string, gzipped: boolean) => {
    if (web === undefined) return undefined;
    const key = `${gzipped} ${name}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const file = await readHelpFile(join(web.help, name), basePath, gzipped);
    if (file) cache.set(key, file);
    return file;
  };
  http.get('/help', (_request, reply) => reply.redirect(`${basePath}${PATH}`, 302));
  http.get(`${PATH}*`, async (request, reply) => {
    const name = nameOf(request);
    const file = name && (await read(name, takesGzip(request)));
    if (file) return sendHelp(reply.header('cache-control', cachingOf(name)), file);
    reply.header('cache-control', 'no-store');
    const notFound = isForPage(request) && (await read('404.html', takesGzip(request)));
    return notFound ? sendHelp(reply.code(404), notFound) : sendNothingAt(request, reply);
  });
}

function nameOf({ url }: FastifyRequest): string | undefined {
  const [path = ''] = url.slice(PATH.length).split('?');
  const name = path === '' || path.endsWith('/') ? `${path}index.html` : path;
  return NAME.test(name) ? name : undefined;
}

async function readHelpFile(path: string, basePath: string, gzipped: boolean): Promise<HelpFile | undefined> {
  const type = TYPES[extname(path)];
  const content = type === undefined ? undefined : await readFile(path).catch(() => undefined);
  if (type === undefined || content === undefined) return undefined;
  if (type === 'font/woff2') return { type, body: content, isGzipped: false };
  const text = content.toString('utf8').replaceAll(PATH, `${basePath}${PATH}`);
  const body = gzipped ? await compress(text, { level: 9 }) : Buffer.from(text);
  return { type, body, isGzipped: gzipped, ...(extname(path) === '.html' && { policy: policyFor(text) }) };
}

/** Scripts are files of the site, and those of this very page. The theme sets styles while it runs. */
function policyFor(page: string): string {
  const scripts = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const hashes = scripts.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(hashes)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The name of an asset has a hash of its content in it. The names of the pages stay the same from version to version. */
function cachingOf(name: string): string {
  return name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

function sendHelp(reply: FastifyReply, { type, body, isGzipped, policy }: HelpFile): FastifyReply {
  reply.type(type).header('vary', 'accept-encoding').header('referrer-policy', 'same-origin');
  if (policy !== undefined) reply.header('content-security-policy', policy);
  if (isGzipped) reply.header('content-encoding', 'gzip');
  return reply.send(body);
}
