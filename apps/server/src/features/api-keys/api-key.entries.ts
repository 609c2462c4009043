import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const apiKeyCreated = defineEntry({
  type: 'api_key.created',
  version: 1,
  summary: 'An API key was created; of a personal key the personal org knows',
  payload: z.strictObject({
    description: z.string(),
    owner: z.strictObject({ kind: z.enum(['user', 'service_account']), id: z.string(), name: z.string() }),
    expires_at: z.number().nullable(),
  }),
});
