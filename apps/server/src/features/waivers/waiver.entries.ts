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
    'An artifact was allow-listed in an environment for the reason given; an earlier allow-listing that this one took the place of ended with it',
  payload: Waiver.extend({ replaces: z.string().nullable() }),
});

export const allowListWithdrawn = defineEntry({
  type: 'allow_list.withdrawn',
  version: 1,
  summary: 'The allow-listing of an artifact in an environment was withdrawn; the reason is the one it had been given',
  payload: Waiver,
});

export const allowListExpired = defineEntry({
  type: 'allow_list.expired',
  version: 1,
  summary: 'The allow-listing of an artifact in an environment was found to have expired; recorded once for each',
  payload: Waiver,
});
