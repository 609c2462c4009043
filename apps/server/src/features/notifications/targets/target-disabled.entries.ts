import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const targetDisabled = defineEntry({
  type: 'target.disabled',
  version: 1,
  summary:
    'A target was disabled because it no longer accepts messages or failed for five days; its waiting ' +
    'messages were dropped',
  payload: z.strictObject({
    source_id: z.string(),
    config_type: z.string().nullable(),
    kind: z.enum(['CHAT', 'WEBHOOK', 'EMAIL']),
    host: z.string().nullable(),
    because: z.string(),
    dropped: z.number().int(),
  }),
});
