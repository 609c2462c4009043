import { Role } from '@waymark/contract';
import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

defineEntry({
  type: 'service_account.created',
  version: 1,
  summary: 'A service account was created',
  payload: z.strictObject({ name: z.string(), privilege: Role }),
});

const Created = z.strictObject({ name: z.string(), privilege: Role, description: z.string() });
const Updated = z.strictObject({ ...Created.shape, previous_privilege: Role });
const DisplayName = { display_name: z.string().nullable() };

defineEntry({
  type: 'service_account.created',
  version: 2,
  summary: 'The same, from when no display name could be given; not recorded any more',
  payload: Created,
});

defineEntry({
  type: 'service_account.updated',
  version: 1,
  summary: 'The same, from when no display name could be given; not recorded any more',
  payload: Updated,
});

export const serviceAccountCreated = defineEntry({
  type: 'service_account.created',
  version: 3,
  summary: 'A service account was created; `display_name` is null when the name is shown',
  payload: Created.extend(DisplayName),
});

export const serviceAccountUpdated = defineEntry({
  type: 'service_account.updated',
  version: 2,
  summary:
    'The display name, description or privilege of a service account was changed; `previous_privilege` is what it had ' +
    'before',
  payload: Updated.extend(DisplayName),
});

export const serviceAccountDeleted = defineEntry({
  type: 'service_account.deleted',
  version: 1,
  summary: 'A service account was deleted, and with it all its keys were revoked',
  payload: z.strictObject({ name: z.string(), revoked_keys: z.number().int() }),
});
