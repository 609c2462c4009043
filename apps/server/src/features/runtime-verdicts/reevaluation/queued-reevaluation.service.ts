import { afterCommit, type Ctx } from '../../../platform/ctx.ts';
import { type Reevaluation, reevaluate } from './reevaluate.service.ts';
import type { ReevaluationCause } from './reevaluated-snapshot.ts';
import {
  deleteRequests,
  EVERYTHING,
  listRequests,
  type QueuedRequest,
  queueOwnReevaluation,
} from './reevaluation-queue.store.ts';

/**
 * Re-evaluates an environment because of a change in the open transaction, after its commit and before the caller gets
 * an answer: all artifacts that run there, unless given.
 */
export async function reevaluateAfterCommit(
  ctx: Ctx,
  environmentId: string,
  cause: ReevaluationCause,
  fingerprints: readonly string[] = [EVERYTHING],
): Promise<void> {
  const queued = await queueOwnReevaluation(ctx.db, ctx.org, environmentId, cause, fingerprints);
  if (queued > 0) afterCommit(ctx, (ctx) => reevaluateQueued(ctx, [environmentId]));
}

/** Does what is queued for these environments, and returns for how many something was. */
export async function reevaluateQueued(ctx: Ctx, environmentIds: readonly string[]): Promise<number> {
  const requests = await listRequests(ctx.db, ctx.org, environmentIds);
  const requestsOf = Map.groupBy(requests, (request) => request.environment_id);
  if (requestsOf.size === 0) return 0;
  await reevaluate(ctx, Array.from(requestsOf, toReevaluation), async (ctx, ids) => {
    const done = ids.flatMap((id) => requestsOf.get(id) ?? []);
    await deleteRequests(ctx.db, ctx.org, done);
  });
  return requestsOf.size;
}

function toReevaluation([environmentId, requests]: [string, readonly QueuedRequest[]]): Reevaluation {
  const causes = [...new Set(requests.map((request) => request.cause))];
  const fingerprints = [...new Set(requests.map((request) => request.fingerprint))];
  return { environmentId, causes, ...(!fingerprints.includes(EVERYTHING) && { fingerprints }) };
}
