import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';
import { RecordedScope } from '../../platform/journal/recorded-scope.ts';

const Key = {
  description: z.string(),
  owner: z.strictObject({ kind: z.enum(['user', 'service_account']), id: z.string(), name: z.string() }),
};

export const apiKeyCreated = defineEntry({
  type: 'api_key.created',
  version: 2,
  summary:
    'An API key was created; for a personal key, recorded in the personal org. `scope` is its scope, null ' +
    'for none',
  payload: z.strictObject({ ...Key, expires_at: z.number().nullable(), scope: RecordedScope }),
});

export const apiKeyRotated = defineEntry({
  type: 'api_key.rotated',
  version: 1,
  summary: 'An API key was rotated; it stays valid until `expires_at`',
  payload: z.strictObject({ ...Key, replaced_by: z.string(), expires_at: z.number() }),
});

export const apiKeyRevoked = defineEntry({
  type: 'api_key.revoked',
  version: 1,
  summary: 'An API key was revoked; the keys of a deleted service account are in the entry about the deletion',
  payload: z.strictObject(Key),
});

export const apiKeySuspended = defineEntry({
  type: 'api_key.suspended',
  version: 1,
  summary:
    'An API key of a service account was suspended, because the person who created it left the org or has ' +
    'a lower role than the key',
  payload: z.strictObject({ ...Key, made_by: z.strictObject({ id: z.string(), login: z.string() }) }),
});

export const apiKeyRestored = defineEntry({
  type: 'api_key.restored',
  version: 1,
  summary: 'An admin restored a suspended API key, which counts as created by them from now on',
  payload: z.strictObject(Key),
});
