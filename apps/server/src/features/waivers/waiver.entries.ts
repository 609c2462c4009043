import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Waiver = z.strictObject({
  id: z.string(),
  environment: z.string(),
  fingerprint: z.string(),
  name: z.string(),
  reason: z.string(),
  expires_at: z.number().nullable(),
});

export const allowListAdded = defineEntry({
  type: 'allow_list.added',
  version: 1,
  summary:
    'A waiver was granted for an artifact in an environment, with its reason; it replaced an earlier ' +
    'waiver, if any',
  payload: Waiver.extend({ replaces: z.string().nullable() }),
});

export const allowListWithdrawn = defineEntry({
  type: 'allow_list.withdrawn',
  version: 1,
  summary: 'The waiver for an artifact in an environment was withdrawn; the reason is that of the waiver',
  payload: Waiver,
});

export const allowListExpired = defineEntry({
  type: 'allow_list.expired',
  version: 1,
  summary: 'The waiver for an artifact in an environment was found to have expired; recorded once for each',
  payload: Waiver,
});
