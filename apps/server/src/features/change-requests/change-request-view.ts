import { type ChangeRequest, contracts, controlRuleOf, type ListedChangeRequest } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { requireStored } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { type ChangeRequestRow, isAsker } from './asker.ts';
import { isOver } from './change-request.service.ts';

const summaries = new Map(contracts.map(({ id, summary }) => [id, summary]));

export function toListed(ctx: Ctx, request: ChangeRequestRow): ListedChangeRequest {
  const isPending = request.state === 'pending' && !isOver(ctx, request);
  const isAskers = isAsker(ctx, request);
  const mayApprove = ctx.actor.kind === 'user' && ctx.actor.role === 'admin' && !ctx.credential?.scope;
  return {
    id: request.id,
    state: request.state === 'pending' && !isPending ? 'expired' : request.state,
    operation: request.operation,
    summary: summaries.get(request.operation) ?? request.operation,
    kind: controlRuleOf({ id: request.operation })?.kind ?? 'policies',
    subject: { kind: request.subject_kind, name: request.subject_name },
    asked_by: request.asked_by_login,
    asked_through: request.actor_kind === 'service_account' ? request.actor_name : null,
    asked_at: epochSeconds(request.asked_at),
    expires_at: epochSeconds(request.expires_at),
    ended_at: request.ended_at && epochSeconds(request.ended_at),
    ended_by: request.ended_by,
    reason: request.reason,
    can_approve: isPending && mayApprove && !isAskers,
    can_withdraw: isPending && isAskers,
  };
}

export function toChangeRequest(ctx: Ctx, request: ChangeRequestRow, isOutdated: boolean): ChangeRequest {
  const state = (text: string | null) =>
    text === null ? null : (requireStored('change_request', request.id, text) as Record<string, unknown>);
  return {
    ...toListed(ctx, request),
    before: state(request.before_state),
    after: state(request.after_state),
    is_outdated: isOutdated,
  };
}
