import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { OrgShares } from '../db/org-shares.ts';
import { type Admission, OVERLOADED } from './admission.ts';
import { withoutBase } from './base-path.ts';
import type { CallerOrg, CallerOrgs } from './caller-orgs.ts';
import { isScim } from './errors.ts';
import { hashKey } from './key-text.ts';
import { requestIdOf } from './request-id.ts';

interface Queues {
  readonly admission: Admission;
  readonly shares: OrgShares;
}

interface EarlyRefusal extends Queues {
  readonly callerOrgs: CallerOrgs;
  readonly draining: AbortSignal;
  readonly basePath: string;
}

/** Whether a request of a recently seen caller would wait in vain. */
export function isTurnedAway({ admission, shares }: Queues, { countsFor, org }: CallerOrg): boolean {
  return admission.turnsAway(countsFor) || shares.turnsAway(org);
}

/**
 * Refuses requests that would wait in vain as soon as their headers arrive, before the framework sees them: at many
 * times the capacity of a server, refusing is most of its work. Such a request is counted by its queue and not logged.
 */
export function turnAwayEarly(http: FastifyInstance, parts: EarlyRefusal): void {
  const { server } = http;
  const [handle] = server.listeners('request');
  if (!handle) throw new Error('the framework does not listen for requests');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (!turnAway(parts, request, response)) handle.call(server, request, response);
  });
}

/** Nothing is refused while few wait, so that most requests need no hash of their key here. */
function mayTurnAway({ admission, shares }: Queues): boolean {
  return admission.isLong() || shares.isLong();
}

const BEARER = 'Bearer ';

function turnAway(parts: EarlyRefusal, request: IncomingMessage, response: ServerResponse): boolean {
  if (!mayTurnAway(parts)) return false;
  const { authorization } = request.headers;
  if (!authorization?.startsWith(BEARER) || isScim(withoutBase(parts.basePath, request.url ?? ''))) return false;
  const known = parts.callerOrgs.get(hashKey(authorization.slice(BEARER.length)));
  if (!known || !isTurnedAway(parts, known)) return false;
  const id = requestIdOf(request);
  const body = JSON.stringify({ message: OVERLOADED.message, request_id: id });
  response
    .writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'retry-after': String(OVERLOADED.retryAfterSeconds),
      'x-content-type-options': 'nosniff',
      'x-request-id': id,
      ...(parts.draining.aborted && { connection: 'close' }),
    })
    .end(body);
  return true;
}
