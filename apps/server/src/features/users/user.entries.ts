import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const defaultOrgChanged = defineEntry({
  type: 'user.default_org_changed',
  version: 1,
  summary: 'A user chose another default org; their personal org knows',
  payload: z.strictObject({ org_id: z.string(), org_name: z.string() }),
});
