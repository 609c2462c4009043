import type { Contract } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidField } from '../errors.ts';

type Asked = Pick<Contract, 'dryRun' | 'method'>;

export function isDryRun({ dryRun }: Asked, request: FastifyRequest): boolean {
  return dryRun === true && sentIn(request) === 'true';
}

/** Set first, so that a refusal carries it as well. */
export function markDryRun(contract: Asked, request: FastifyRequest, reply: FastifyReply): void {
  if (isDryRun(contract, request)) reply.header('waymark-dry-run', 'true');
}

/** A caller who asks for a dry run must never get a real one: unlike other parameters, this one is never ignored. */
export function requireDryRunAsOffered({ dryRun, method }: Asked, request: FastifyRequest): void {
  const sent = sentIn(request);
  if (method === 'GET' || sent === undefined) return;
  if (!dryRun) throw refused('this operation has no dry run');
  if (sent !== 'true' && sent !== 'false') throw refused('must be true or false');
}

/** The query without the parameters that are read here. */
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
