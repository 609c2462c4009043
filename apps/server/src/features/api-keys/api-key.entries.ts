import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Key = {
  description: z.string(),
  owner: z.strictObject({ kind: z.enum(['user', 'service_account']), id: z.string(), name: z.string() }),
};

export const apiKeyCreated = defineEntry({
  type: 'api_key.created',
  version: 1,
  summary: 'An API key was created; of a personal key the personal org knows',
  payload: z.strictObject({ ...Key, expires_at: z.number().nullable() }),
});

export const apiKeyRotated = defineEntry({
  type: 'api_key.rotated',
  version: 1,
  summary: 'An API key got a successor; it is good until `expires_at`',
  payload: z.strictObject({ ...Key, replaced_by: z.string(), expires_at: z.number() }),
});

export const apiKeyRevoked = defineEntry({
  type: 'api_key.revoked',
  version: 1,
  summary: 'An API key was revoked; those of a deleted service account are in the entry about that',
  payload: z.strictObject(Key),
});
