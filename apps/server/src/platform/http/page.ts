import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ctx } from '../ctx.ts';
import { forbidden, invalid, Problem, rateLimited } from '../errors.ts';
import { newId } from '../ids.ts';
import type { App } from './app.ts';
import { isFromOwnOrigin } from './csrf.ts';
import { statusOf } from './errors.ts';
import type { CallerRow } from './find-caller.ts';
import { type Html, html, trusted } from './html.ts';
import { PAGE_STYLE } from './page-style.ts';
import { networkOf, type RateLimits } from './rate-limit.ts';
import {
  cookie,
  cookieIn,
  csrfTokenOf,
  hashSecret,
  isCsrfTokenOf,
  newSecret,
  SESSION_COOKIE,
} from './session-cookie.ts';

/** Identifies a browser before anyone has signed in. */
export const BROWSER_COOKIE = '__Host-waymark-browser';

/** Pages may use our own style and send forms to us, and nothing else, whatever text they contain. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', PAGE_STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** For tables. */
  readonly isWide?: boolean;
  readonly setCookies?: readonly string[];
}

export interface Redirect {
  /** A path from the root of the service, or an address elsewhere. */
  readonly to: string;
  readonly setCookies?: readonly string[];
}

/** A visit to a page. */
export interface Visit {
  /** Acts as the signed-in visitor in their personal org, or else as the service itself. */
  readonly ctx: Ctx;
  /** The signed-in visitor; with the org of the path and their role there, if they have one. */
  readonly person: CallerRow | undefined;
  /** The secret of this browser. Its hash can bind a request to it. */
  readonly browserSecret: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The form; only of a POST from one of our own pages. */
  readonly form: URLSearchParams;
  readonly address: string;
  readonly userAgent: string;
  /** For every form. */
  readonly csrfField: Html;
}

interface PageOptions {
  /** A POST is accepted from anywhere: its URL, which nobody can guess, determines what it changes. */
  readonly fromAnywhere?: boolean;
}

/**
 * Mounts a page for people. A POST takes effect only if one of our own pages sent it, even before anyone has signed in:
 * otherwise a stranger could sign a visitor in as somebody else.
 */
export function handlePage(
  app: App,
  method: 'GET' | 'POST',
  url: `/${string}`,
  handler: (visit: Visit) => Promise<Page | Redirect>,
  options: PageOptions = {},
): void {
  app.http.route({
    method,
    url,
    config: { takesFormFields: true },
    handler: async (request, reply) => {
      const answer = await answerTo(app, method, request, reply, handler, options);
      if (method === 'POST') app.onWrite();
      return sendAnswer(app, reply, answer);
    },
  });
}

/** A person gets a page even when something went wrong. */
async function answerTo(
  app: App,
  method: 'GET' | 'POST',
  request: FastifyRequest,
  reply: FastifyReply,
  handler: (visit: Visit) => Promise<Page | Redirect>,
  { fromAnywhere = false }: PageOptions,
): Promise<Page | Redirect> {
  const browser = cookieIn(request.headers.cookie, BROWSER_COOKIE);
  const browserSecret = browser ?? newSecret();
  if (browser === undefined) reply.header('set-cookie', cookie(BROWSER_COOKIE, browserSecret));
  try {
    const visit = await visitOf(app, request, browserSecret);
    if (method === 'POST' && !fromAnywhere) requireOwnForm(app, visit, request);
    return await handler(visit);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
    return problemPage(error);
  }
}

/** Counts attempts per address or account, and refuses those over the limit. */
export function limitAttempts(allow: RateLimits['byKey'], key: string, now: Date): void {
  const { allowed, resetSeconds } = allow(key, now.getTime());
  if (!allowed) throw rateLimited(resetSeconds);
}

/** Returns a path from the root of the service, or the fallback: a link to us must not redirect to another site. */
export function localPath(next: string | null | undefined, otherwise: string): string {
  if (!next?.startsWith('/') || !/^[!-[\]-~]+$/.test(next)) return otherwise;
  const base = 'http://localhost';
  const url = URL.canParse(next, base) ? new URL(next, base) : undefined;
  return url?.origin === base && !url.pathname.startsWith('//') ? url.pathname + url.search : otherwise;
}

async function visitOf(app: App, request: FastifyRequest, browserSecret: string): Promise<Visit> {
  const params = request.params as Record<string, string>;
  const query = new URLSearchParams(request.url.replace(/^[^?]*/, ''));
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  for (const sent of [...Object.values(params), ...query.values(), ...form.values()]) {
    if (sent.includes('\u0000')) throw invalid('The text contains the character U+0000');
  }
  const session = cookieIn(request.headers.cookie, SESSION_COOKIE);
  const person = session === undefined ? undefined : await personOf(app, request, session, params['org']);
  // Guesses of keys are counted separately, so that they do not block sign-in for others behind the same address.
  limitAttempts(app.allow.byKey, person?.credential_id ?? `pages ${networkOf(request.ip)}`, app.now());
  return {
    ctx: contextOf(app, request, person),
    person,
    browserSecret,
    params,
    query,
    form,
    address: networkOf(request.ip),
    userAgent: request.headers['user-agent'] ?? '',
    csrfField: html`<input type="hidden" name="csrf" value="${csrfTokenOf(formSecret(person, session, browserSecret))}">`,
  };
}

function contextOf(app: App, request: FastifyRequest, person: CallerRow | undefined): Ctx {
  const now = app.now();
  const shared = { db: app.db, now: () => now, newId, log: request.log as Ctx['log'] };
  if (!person) return { ...shared, actor: { kind: 'system', id: null, name: 'sign-in' }, credential: null, org: '' };
  const credential = {
    kind: 'session',
    id: person.credential_id,
    onlyOrg: person.only_org_id,
    workload: null,
    expiresAt: null,
    madeBy: person.made_by,
    scope: null,
  } as const;
  app.credentialUse.note({ credential, usedAt: person.used_at });
  const actor = { kind: 'user', id: person.actor_id, name: person.actor_name, role: 'admin' } as const;
  return { ...shared, actor, credential, org: person.home_org_id };
}

function personOf(
  app: App,
  request: FastifyRequest,
  session: string,
  org: string | undefined,
): Promise<CallerRow | undefined> {
  const credential = { kind: 'session', hash: hashSecret(session), secret: session } as const;
  return app.findCaller(credential, org ?? '', networkOf(request.ip));
}

/** Signing in changes the secret, so that older forms become invalid. */
function formSecret(person: CallerRow | undefined, session: string | undefined, browserSecret: string): string {
  return person && session !== undefined ? session : browserSecret;
}

function requireOwnForm(app: App, visit: Visit, request: FastifyRequest): void {
  const session = cookieIn(request.headers.cookie, SESSION_COOKIE);
  const secret = formSecret(visit.person, session, visit.browserSecret);
  const { origin } = request.headers;
  const isOwn = isFromOwnOrigin(app.publicUrl, request.headers);
  if (isOwn && isCsrfTokenOf(secret, visit.form.get('csrf'))) return;
  if (!isOwn && (origin === `http://${request.host}` || origin === `https://${request.host}`)) {
    throw forbidden(`This service is available at ${app.publicUrl}, not at ${origin}. Open it there`);
  }
  throw forbidden('This form has expired or was not sent from a page of this service. Open the page again');
}

export function sendAnswer({ basePath }: App, reply: FastifyReply, answer: Page | Redirect): FastifyReply {
  for (const value of answer.setCookies ?? []) reply.header('set-cookie', value);
  // Other sites do not learn where a visitor came from. With 'no-referrer', browsers would send our own forms with the
  // origin 'null'.
  reply.header('cache-control', 'no-store').header('referrer-policy', 'same-origin');
  if ('to' in answer) return reply.code(303).header('location', addressOf(basePath, answer.to)).send();
  return reply
    .code(answer.status ?? 200)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY)
    .send(withAddresses(basePath, frame(answer).markup));
}

/** Features name pages from the root of the service; other addresses have a scheme. */
function addressOf(basePath: string, to: string): string {
  return to.startsWith('/') ? basePath + to : to;
}

/** Does the same in markup, where every quotation mark is our own: `html` escapes those of inserted values. */
function withAddresses(basePath: string, markup: string): string {
  return markup.replaceAll(/ (href|action)="(\/[^"]*)"/g, (_, name: string, to: string) => {
    return ` ${name}="${addressOf(basePath, to)}"`;
  });
}

function frame({ title, body, isWide }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Waymark</title>
<style>${trusted(PAGE_STYLE)}</style>
</head>
<body${isWide && trusted(' class="wide"')}>
<header><a class="brand" href="/account">Waymark</a></header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}

function problemPage(problem: Problem): Page {
  return {
    title: problem.code === 'rate_limited' ? 'Too many attempts' : 'Something went wrong',
    status: statusOf(problem),
    body: html`<p class="note bad" role="alert">${problem.message}</p><p><a href="/sign-in">Go to the sign-in page</a></p>`,
  };
}
