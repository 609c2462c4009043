import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFailure, sendNothingAt } from './errors.ts';
import { isForPage, sendPage } from './web-app.ts';
import type { WebFiles } from './web-files.ts';

/**
 * Answers requests that match no route: with the page of the web application, with 405 if the path has other methods,
 * or with 404. This happens before the body is read and before authentication, so the response is the same for every
 * org.
 */
export function answerUnrouted(http: FastifyInstance, web: WebFiles | undefined): void {
  const methodsAt = collectMethods(http);
  http.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answer(web, methodsAt, request, reply);
    else done();
  });
}

function answer(
  web: WebFiles | undefined,
  methodsAt: (path: string) => string[],
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const [path = ''] = request.url.split('?');
  const allowed = methodsAt(path).join(', ');
  if (allowed !== '') {
    const message = `${request.method} is not allowed at ${path}. Allowed: ${allowed}.`;
    sendFailure(reply.header('allow', allowed), 405, { message });
  } else if (isForPage(request)) sendPage(reply, web);
  else sendNothingAt(request, reply);
}

/** Returns the methods of a path, from all routes mounted so far. The router itself can only find by method. */
function collectMethods(http: Pick<FastifyInstance, 'addHook'>): (path: string) => string[] {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  http.addHook('onRoute', ({ url, method }) => {
    routes.push({ pattern: patternOf(url), methods: [method].flat() });
  });
  return (path) => {
    const methods = routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods);
    return [...new Set(methods)].sort();
  };
}

function patternOf(url: string): RegExp {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/:\w+/g, '[^/]+').replace(/\*/g, '.*')}$`);
}
