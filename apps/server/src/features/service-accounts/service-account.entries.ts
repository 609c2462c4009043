import { Role } from '@waymark/contract';
import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Account = {
  name: z.string(),
  privilege: Role,
  description: z.string(),
  display_name: z.string().nullable(),
};

export const serviceAccountCreated = defineEntry({
  type: 'service_account.created',
  version: 3,
  summary: 'A service account was created; `display_name` is null if the name is shown',
  payload: z.strictObject(Account),
});

export const serviceAccountUpdated = defineEntry({
  type: 'service_account.updated',
  version: 2,
  summary:
    'The display name, description, or privilege of a service account was changed; `previous_privilege` ' +
    'is its earlier privilege',
  payload: z.strictObject({ ...Account, previous_privilege: Role }),
});

export const serviceAccountDeleted = defineEntry({
  type: 'service_account.deleted',
  version: 1,
  summary: 'A service account was deleted, and all its keys were revoked',
  payload: z.strictObject({ name: z.string(), revoked_keys: z.number().int() }),
});
