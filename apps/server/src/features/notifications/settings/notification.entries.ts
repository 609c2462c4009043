import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

const Kind = z.enum(['env', 'flow']);

/** Only the host of a URL: the rest is a secret. */
const Target = z.strictObject({
  id: z.string(),
  type: z.enum(['CHAT', 'WEBHOOK', 'EMAIL']),
  host: z.string().nullable(),
  emails: z.array(z.string()),
});

const Notification = z.strictObject({
  number: z.number(),
  type: Kind,
  name: z.string(),
  scopes: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  triggers: z.array(z.string()),
  targets: z.array(Target),
});

export const notificationCreated = defineEntry({
  type: 'notification.created',
  version: 1,
  summary: 'A notification was created; its scopes are environments or flows, depending on its type',
  payload: Notification,
});

export const notificationUpdated = defineEntry({
  type: 'notification.updated',
  version: 1,
  summary: 'A notification was changed, or a disabled target of it was enabled again; contains its new state',
  payload: Notification,
});

export const notificationDeleted = defineEntry({
  type: 'notification.deleted',
  version: 1,
  summary: 'A notification was deleted, and its waiting messages were dropped',
  payload: z.strictObject({ number: z.number(), type: Kind, name: z.string() }),
});
