import * as api from '@waymark/contract';
import type { Actor } from '../../../platform/ctx.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { healthOf, toTarget } from '../targets/target-view.ts';
import type { NotificationView } from './notification.reads.ts';

/** The viewer's role decides how much of a URL is shown. */
export interface Viewer {
  readonly actor: Actor;
  readonly secretBox: SecretBox | undefined;
}

export function toEnvironmentNotification(view: NotificationView, by: Viewer): api.EnvironmentNotification {
  return {
    ...toCommon(view, by),
    type: 'env',
    environments: view.scopes.map(({ name }) => name),
    triggers: view.triggers as api.EnvironmentTrigger[],
  };
}

export function toFlowNotification(view: NotificationView, by: Viewer): api.FlowNotification {
  return {
    ...toCommon(view, by),
    type: 'flow',
    flows: view.scopes.map(({ name }) => name),
    triggers: view.triggers as api.FlowTrigger[],
  };
}

export function toAction(view: NotificationView, by: Viewer): api.Action {
  return view.kind === 'env' ? toEnvironmentNotification(view, by) : toFlowNotification(view, by);
}

function toCommon(view: NotificationView, { actor, secretBox }: Viewer) {
  const mayWrite = actor.kind === 'system' || api.allows(actor.role, 'manage_notifications');
  const { lastSuccessAt, lastFailureAt, isFailing } = healthOf(view.targets);
  return {
    name: view.name,
    number: view.number,
    targets: view.targets.map((target) => toTarget(target, secretBox, mayWrite)),
    created_at: epochSeconds(view.created_at),
    created_by: view.created_by,
    last_modified_at: epochSeconds(view.last_modified_at),
    last_success_timestamp: lastSuccessAt && epochSeconds(lastSuccessAt),
    last_failure_timestamp: lastFailureAt && epochSeconds(lastFailureAt),
    is_failing: isFailing,
    is_created_from_chat_app: false,
    is_created_from_slack_app: false,
  };
}
