import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const repositoryTagged = defineEntry({
  type: 'repository.tagged',
  version: 1,
  summary: 'Tags of a repository were set or removed; only actual changes are listed',
  payload: z.strictObject({
    name: z.string(),
    provider: z.string().optional(),
    set: z.record(z.string(), z.string()),
    removed: z.array(z.string()),
  }),
});
