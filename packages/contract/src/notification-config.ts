import { z } from 'zod';
import { contract } from './contract.ts';
import { ConfigTargetInputs, NotificationTarget } from './notification-targets.ts';
import { EpochSeconds, OrgName } from './primitives.ts';

export const NotificationType = z.enum(['api_key_expiry']).meta({ description: 'What the notification is about' });
export type NotificationType = z.infer<typeof NotificationType>;

/** Days before its expiry on which a key is announced; the last is the expiry itself. */
export const API_KEY_EXPIRY_STEPS = [30, 14, 7, 3, 1, 0] as const;

const ConfigParams = z.strictObject({ org: OrgName, notification_type: NotificationType });

export const NotificationConfig = z
  .object({
    notification_type: NotificationType,
    scope: z.string().nullable().meta({ description: 'Null: the whole org' }),
    targets: z.array(NotificationTarget).meta({
      description:
        'Empty if none is configured. By default, the owner of a personal key is notified by email; for a key of ' +
        'a service account, the creator of the account and the admins of the org are.',
    }),
    detection: z.record(z.string(), z.unknown()).meta({ examples: [{ days_before: API_KEY_EXPIRY_STEPS }] }),
    last_notified_at: EpochSeconds.nullable(),
    last_failure: z
      .object({ failed_at: EpochSeconds, error: z.string() })
      .nullable()
      .meta({ description: 'The newest failure, unless a delivery succeeded after it' }),
  })
  .meta({ id: 'NotificationConfigResponse' });
export type NotificationConfig = z.infer<typeof NotificationConfig>;

export const putNotificationConfig = contract({
  id: 'putNotificationConfig',
  summary: 'Configure the targets of a notification type',
  description:
    'Replaces all targets. A target that did not change, or that has the `id` of an existing one, keeps its ' +
    'secret and its history. To restore the default recipients, delete the configuration.',
  tag: 'Notifications',
  method: 'PUT',
  path: '/notification-config/:org/:notification_type',
  access: 'configure_notifications',
  dryRun: true,
  basicAuth: true,
  params: ConfigParams,
  body: z
    .strictObject({
      targets: ConfigTargetInputs,
    })
    .meta({ id: 'NotificationConfigInput' }),
  status: 201,
  reply: NotificationConfig,
  errors: [400, 401, 403, 413, 429, 503],
});

export const getNotificationConfig = contract({
  id: 'getNotificationConfig',
  summary: 'Get the targets of a notification type',
  tag: 'Notifications',
  method: 'GET',
  path: '/notification-config/:org/:notification_type',
  access: 'read',
  params: ConfigParams,
  status: 200,
  reply: NotificationConfig,
  errors: [400, 401, 403, 429, 503],
});

export const deleteNotificationConfig = contract({
  id: 'deleteNotificationConfig',
  summary: 'Restore the default recipients of a notification type',
  description: 'Repeating it changes nothing and succeeds.',
  tag: 'Notifications',
  method: 'DELETE',
  path: '/notification-config/:org/:notification_type',
  access: 'configure_notifications',
  dryRun: true,
  params: ConfigParams,
  status: 200,
  reply: NotificationConfig,
  errors: [400, 401, 403, 429, 503],
});
