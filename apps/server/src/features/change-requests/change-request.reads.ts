import { CHANGE_REQUESTS_LISTED_MAX } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { Problem } from '../../platform/errors.ts';
import type { ControlledOperation } from '../../platform/http/change-control.ts';
import { type ChangeRequestRow, withAskers } from './asker.ts';
import { isOver } from './change-request.service.ts';
import { listRequests } from './change-request.store.ts';
import { readRequest } from './stored-request.ts';
import { subjectOf, textOf } from './subject-state.ts';

/** Newest first. Expired requests no longer count as waiting, even before they are ended. */
export async function listChangeRequests(ctx: Ctx, state: ChangeRequestRow['state']): Promise<ChangeRequestRow[]> {
  const requests = await listRequests(ctx.db, ctx.org, state, CHANGE_REQUESTS_LISTED_MAX);
  return withAskers(
    ctx.db,
    requests.filter((request) => state !== 'pending' || !isOver(ctx, request)),
  );
}

/** Whether the subject of a pending change has changed since its asker saw it. */
export async function isOutdated(
  ctx: Ctx,
  operations: ReadonlyMap<string, ControlledOperation>,
  request: ChangeRequestRow,
): Promise<boolean> {
  if (request.state !== 'pending') return false;
  const operation = operations.get(request.operation);
  if (!operation) return true;
  try {
    const input = readRequest(operation.contract, request.id, request.input);
    const state = await subjectOf(request.operation, input).state(ctx);
    return textOf(state) !== request.before_state;
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid') return true;
    throw error;
  }
}
