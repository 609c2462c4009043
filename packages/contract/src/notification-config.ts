import { z } from 'zod';
import { contract } from './contract.ts';
import { ConfigTargetInputs, NotificationTarget } from './notification-targets.ts';
import { EpochSeconds, OrgName } from './primitives.ts';

export const NotificationType = z.enum(['api_key_expiry']).meta({ description: 'What the org is told of' });
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
        'Empty when none is configured. Then the owner of a personal key is told by mail, and of a key of a service ' +
        'account whoever created the account, and the admins of the org.',
    }),
    detection: z.record(z.string(), z.unknown()).meta({ examples: [{ days_before: API_KEY_EXPIRY_STEPS }] }),
    last_notified_at: EpochSeconds.nullable(),
    last_failure: z
      .object({ failed_at: EpochSeconds, error: z.string() })
      .nullable()
      .meta({ description: 'The newest failure, unless something was delivered after it' }),
  })
  .meta({ id: 'NotificationConfigResponse' });
export type NotificationConfig = z.infer<typeof NotificationConfig>;

export const putNotificationConfig = contract({
  id: 'putNotificationConfig',
  summary: 'Say who is told, instead of the recipients that the service would work out',
  description:
    'The targets replace those there were. One that is the same as before, or has its `id`, keeps its secret and its ' +
    'record. To go back to the recipients that the service works out, delete the configuration.',
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
  summary: 'Who is told of something that the service raises',
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
  summary: 'Go back to the recipients that the service works out',
  description: 'Repeating it changes nothing.',
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
