import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

const NotificationType = z.enum(['api_key_expiry']);

export const notificationConfigSet = defineEntry({
  type: 'notification_config.set',
  version: 1,
  summary: 'The org said who is told of something that the service raises; of URLs the journal knows the host alone',
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
  summary: 'The org went back to the recipients that the service works out',
  payload: z.strictObject({ notification_type: NotificationType }),
});
