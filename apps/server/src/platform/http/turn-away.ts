import type { FastifyReply, FastifyRequest } from 'fastify';
import { OVERLOADED } from './admission.ts';
import type { App } from './app.ts';
import type { CallerOrg } from './caller-orgs.ts';
import { isScim } from './errors.ts';
import { hashKey } from './key-text.ts';

type Queues = Pick<App, 'admission' | 'shares'>;

/** Whether a request of a caller who was recognised lately would wait in vain. */
export function isTurnedAway({ admission, shares }: Queues, { countsFor, org }: CallerOrg): boolean {
  return admission.turnsAway(countsFor) || shares.turnsAway(org);
}

const BEARER = 'Bearer ';

/**
 * Refuses what would wait in vain as soon as its headers are there, past everything that an answer usually goes through:
 * at many times the load that a server can carry, refusing is most of its work. Returns whether it did.
 */
export function turnAway(app: App, request: FastifyRequest, reply: FastifyReply): boolean {
  const { authorization } = request.headers;
  if (!authorization?.startsWith(BEARER) || isScim(request.url)) return false;
  const known = app.callerOrgs.get(hashKey(authorization.slice(BEARER.length)));
  if (!known || !isTurnedAway(app, known)) return false;
  const body = JSON.stringify({ message: OVERLOADED.message, request_id: request.id });
  reply.hijack();
  reply.raw
    .writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'retry-after': String(OVERLOADED.retryAfterSeconds),
      'x-content-type-options': 'nosniff',
      'x-request-id': request.id,
      ...(app.draining.aborted && { connection: 'close' }),
    })
    .end(body);
  return true;
}
