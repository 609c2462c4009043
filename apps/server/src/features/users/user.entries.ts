import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const defaultOrgChanged = defineEntry({
  type: 'user.default_org_changed',
  version: 1,
  summary: 'A user chose another default org; recorded in their personal org',
  payload: z.strictObject({ org_id: z.string(), org_name: z.string() }),
});

export const emailSet = defineEntry({
  type: 'user.email_set',
  version: 1,
  summary: 'An operator replaced the email address of a user; recorded in their personal org',
  payload: z.strictObject({ email: z.string(), previous_email: z.string().nullable() }),
});
