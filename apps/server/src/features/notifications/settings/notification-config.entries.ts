import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

const NotificationType = z.enum(['api_key_expiry']);

export const notificationConfigSet = defineEntry({
  type: 'notification_config.set',
  version: 1,
  summary: 'The targets of a notification type were configured; of URLs, the journal contains only the host',
  payload: z.strictObject({
    notification_type: NotificationType,
    targets: z.array(
      z.strictObject({
        id: z.string(),
        type: z.enum(['CHAT', 'WEBHOOK', 'EMAIL']),
        host: z.string().nullable(),
        emails: z.array(z.string()),
      }),
    ),
  }),
});

export const notificationConfigRemoved = defineEntry({
  type: 'notification_config.removed',
  version: 1,
  summary: 'The default recipients of a notification type were restored',
  payload: z.strictObject({ notification_type: NotificationType }),
});
