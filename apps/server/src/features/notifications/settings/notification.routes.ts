import * as api from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import type { App } from '../../../platform/http/app.ts';
import { created, handle, updated } from '../../../platform/http/handle.ts';
import type { TargetParts } from '../targets/target.service.ts';
import * as reads from './notification.reads.ts';
import * as notifications from './notification.service.ts';
import { toAction, toEnvironmentNotification, toFlowNotification, type Viewer } from './notification-view.ts';

export function notificationRoutes(app: App, parts: TargetParts): void {
  const by = (ctx: Ctx): Viewer => ({ actor: ctx.actor, secretBox: parts.secretBox });

  const putForEnvironments = async (ctx: Ctx, body: api.EnvironmentNotificationInput) =>
    replyOf(await notifications.putNotification(ctx, parts, fromEnvironmentInput(body)), (view) =>
      toEnvironmentNotification(view, by(ctx)),
    );
  handle(app, api.putEnvironmentNotification, (ctx, { body }) => putForEnvironments(ctx, body));
  handle(app, api.putEnvironmentAction, (ctx, { body }) => putForEnvironments(ctx, body));

  handle(app, api.listEnvironmentNotifications, async (ctx) => {
    const found = await reads.listNotifications(ctx, 'env');
    return found.map((view) => toEnvironmentNotification(view, by(ctx)));
  });

  handle(app, api.getEnvironmentNotification, async (ctx, { params }) =>
    toEnvironmentNotification(await reads.readNotification(ctx, params.number, 'env'), by(ctx)),
  );

  handle(app, api.updateEnvironmentNotification, async (ctx, { params, body }) => {
    const change = fromEnvironmentInput(body);
    const { notification } = await notifications.updateNotification(ctx, parts, params.number, change);
    return toEnvironmentNotification(notification, by(ctx));
  });

  handle(app, api.deleteEnvironmentNotification, async (ctx, { params }) =>
    deleted(await notifications.deleteNotification(ctx, params.number, 'env')),
  );

  handle(app, api.putFlowAction, async (ctx, { body }) =>
    replyOf(await notifications.putNotification(ctx, parts, fromFlowInput(body)), (view) =>
      toFlowNotification(view, by(ctx)),
    ),
  );

  handle(app, api.listActions, async (ctx) => {
    const found = await reads.listNotifications(ctx);
    return found.map((view) => toAction(view, by(ctx)));
  });

  handle(app, api.getAction, async (ctx, { params }) =>
    toAction(await reads.readNotification(ctx, params.number), by(ctx)),
  );

  handle(app, api.deleteAction, async (ctx, { params }) =>
    deleted(await notifications.deleteNotification(ctx, params.number)),
  );
}

function replyOf<View>({ outcome, notification }: notifications.Put, view: (found: reads.NotificationView) => View) {
  return outcome === 'created' ? created(view(notification)) : updated(view(notification));
}

function deleted(name: string): string {
  return `Notification '${name}' deleted`;
}

function fromEnvironmentInput(input: api.EnvironmentNotificationInput): notifications.NotificationPut {
  const { name, environments: scopes, triggers, targets } = input;
  return { kind: 'env', name, scopes, triggers, targets };
}

function fromFlowInput(input: api.FlowNotificationInput): notifications.NotificationPut {
  const { name, flows: scopes, triggers, targets } = input;
  return { kind: 'flow', name, scopes, triggers, targets };
}
