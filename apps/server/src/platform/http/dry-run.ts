import type { Contract } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidField } from '../errors.ts';

type Asked = Pick<Contract, 'dryRun' | 'method'>;

export function isDryRun({ dryRun }: Asked, request: FastifyRequest): boolean {
  return dryRun === true && sentIn(request) === 'true';
}

/** From the start, so that a refusal says it as well. */
export function markDryRun(contract: Asked, request: FastifyRequest, reply: FastifyReply): void {
  if (isDryRun(contract, request)) reply.header('waymark-dry-run', 'true');
}

/** Whoever asks for a dry run must not find out that it was none: unlike other parameters this one is never passed over. */
export function requireDryRunAsOffered({ dryRun, method }: Asked, request: FastifyRequest): void {
  const sent = sentIn(request);
  if (method === 'GET' || sent === undefined) return;
  if (!dryRun) throw refused('this operation has no dry run');
  if (sent !== 'true' && sent !== 'false') throw refused('must be true or false');
}

/** The query without what is read here. */
export function queryOf({ dryRun }: Asked, request: FastifyRequest): unknown {
  if (!dryRun) return request.query;
  const { dry_run: _, ...query } = request.query as Record<string, unknown>;
  return query;
}

function sentIn(request: FastifyRequest): unknown {
  return (request.query as { dry_run?: unknown }).dry_run;
}

function refused(reason: string) {
  return invalidField('query.dry_run', reason);
}
