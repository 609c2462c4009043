import { afterCommit, type Ctx } from '../../../platform/ctx.ts';
import { type Reevaluation, reevaluate } from './reevaluate.service.ts';
import type { ReevaluationCause } from './reevaluation-cause.ts';
import {
  deleteRequests,
  EVERYTHING,
  listRequests,
  type QueuedRequest,
  queueOwnRequests,
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
  const requests = await queueOwnRequests(ctx.db, ctx.org, environmentId, cause, fingerprints);
  if (requests.length > 0) afterCommit(ctx, (ctx) => reevaluateRequests(ctx, requests, 'wait'));
}

/** Does what is queued for these environments, except those that are busy. Returns how many were done. */
export async function reevaluateQueued(ctx: Ctx, environmentIds: readonly string[]): Promise<number> {
  return reevaluateRequests(ctx, await listRequests(ctx.db, ctx.org, environmentIds), 'leave');
}

async function reevaluateRequests(
  ctx: Ctx,
  requests: readonly QueuedRequest[],
  ifBusy: 'wait' | 'leave',
): Promise<number> {
  if (requests.length === 0) return 0;
  const requestsOf = Map.groupBy(requests, (request) => request.environment_id);
  let done = 0;
  await reevaluate(ctx, Array.from(requestsOf, toReevaluation), {
    ifBusy,
    // Somebody who removed a request has judged later than this, and must not be overruled.
    async select(ctx, ids) {
      const queued = new Set((await listRequests(ctx.db, ctx.org, ids)).map(keyOf));
      return ids.filter((id) => requestsOf.get(id)?.every((request) => queued.has(keyOf(request))));
    },
    async finish(ctx, ids) {
      const finished = ids.flatMap((id) => requestsOf.get(id) ?? []);
      await deleteRequests(ctx.db, ctx.org, finished);
      done += ids.length;
    },
  });
  return done;
}

function keyOf({ environment_id, fingerprint, cause }: QueuedRequest): string {
  return `${environment_id} ${fingerprint} ${cause}`;
}

function toReevaluation([environmentId, requests]: [string, readonly QueuedRequest[]]): Reevaluation {
  const causes = [...new Set(requests.map((request) => request.cause))];
  const fingerprints = [...new Set(requests.map((request) => request.fingerprint))];
  return { environmentId, causes, ...(!fingerprints.includes(EVERYTHING) && { fingerprints }) };
}
