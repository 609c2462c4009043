import * as api from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { epochSeconds } from '../../../platform/time.ts';
import type { TargetParts } from '../targets/target.service.ts';
import { toTarget } from '../targets/target-view.ts';
import { type ConfigView, readConfig } from './notification-config.reads.ts';
import * as configs from './notification-config.service.ts';

export function notificationConfigRoutes(app: App, parts: TargetParts): void {
  handle(app, api.putNotificationConfig, async (ctx, { params, body }) =>
    toConfig(parts, ctx, await configs.putConfig(ctx, parts, params.notification_type, body.targets)),
  );

  handle(app, api.getNotificationConfig, async (ctx, { params }) =>
    toConfig(parts, ctx, await readConfig(ctx, params.notification_type)),
  );

  handle(app, api.deleteNotificationConfig, async (ctx, { params }) =>
    toConfig(parts, ctx, await configs.deleteConfig(ctx, params.notification_type)),
  );
}

function toConfig({ secretBox }: TargetParts, { actor }: Ctx, config: ConfigView): api.NotificationConfig {
  const mayWrite = actor.kind !== 'system' && api.allows(actor.role, api.putNotificationConfig.access);
  const { lastNotifiedAt, lastFailure } = config;
  return {
    notification_type: config.type,
    scope: null,
    targets: config.targets.map((target) => toTarget(target, secretBox, mayWrite)),
    detection: { days_before: api.API_KEY_EXPIRY_STEPS },
    last_notified_at: lastNotifiedAt && epochSeconds(lastNotifiedAt),
    last_failure: lastFailure && { failed_at: epochSeconds(lastFailure.at), error: lastFailure.error },
  };
}
