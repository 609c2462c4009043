import { Role } from '@waymark/contract';
import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

defineEntry({
  type: 'service_account.created',
  version: 1,
  summary: 'A service account was created',
  payload: z.strictObject({ name: z.string(), privilege: Role }),
});

export const serviceAccountCreated = defineEntry({
  type: 'service_account.created',
  version: 2,
  summary: 'A service account was created',
  payload: z.strictObject({ name: z.string(), privilege: Role, description: z.string() }),
});

export const serviceAccountUpdated = defineEntry({
  type: 'service_account.updated',
  version: 1,
  summary: 'A service account has another description or privilege; `previous_privilege` is what it had before',
  payload: z.strictObject({ name: z.string(), privilege: Role, previous_privilege: Role, description: z.string() }),
});

export const serviceAccountDeleted = defineEntry({
  type: 'service_account.deleted',
  version: 1,
  summary: 'A service account was deleted, and with it all its keys were revoked',
  payload: z.strictObject({ name: z.string(), revoked_keys: z.number().int() }),
});
