import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const defaultOrgChanged = defineEntry({
  type: 'user.default_org_changed',
  version: 1,
  summary: 'A user chose another default org; their personal org knows',
  payload: z.strictObject({ org_id: z.string(), org_name: z.string() }),
});

export const emailSet = defineEntry({
  type: 'user.email_set',
  version: 1,
  summary: 'An operator gave a user an address to sign in with, in place of the previous one; their personal org knows',
  payload: z.strictObject({ email: z.string(), previous_email: z.string().nullable() }),
});
