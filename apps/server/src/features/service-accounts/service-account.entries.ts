import { Role } from '@waymark/contract';
import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const serviceAccountCreated = defineEntry({
  type: 'service_account.created',
  version: 1,
  summary: 'A service account was created',
  payload: z.strictObject({ name: z.string(), privilege: Role }),
});
