import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const storageQuotaChanged = defineEntry({
  type: 'org.storage_quota_changed',
  version: 1,
  summary: 'The operator changed the storage quota of the org; null is the default of the installation',
  payload: z.strictObject({ bytes: z.number().int().nullable(), rows: z.number().int().nullable() }),
});

export const storageWarned = defineEntry({
  type: 'org.storage_warned',
  version: 1,
  summary: 'Evidence reached 80 or 100 percent of the storage quota; at 100 percent no more is accepted',
  payload: z.strictObject({
    percent: z.number().int(),
    bytes: z.number().int(),
    rows: z.number().int(),
    quota_bytes: z.number().int().nullable(),
    quota_rows: z.number().int().nullable(),
  }),
});
