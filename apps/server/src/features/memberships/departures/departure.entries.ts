import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const departureScheduled = defineEntry({
  type: 'departure.scheduled',
  version: 1,
  summary:
    'The identity provider removed a person from the org or lowered their role; the keys and workload ' +
    'identities they created are suspended at `suspends_at`, unless an admin keeps them or the person ' +
    'returns before',
  payload: z.strictObject({
    user_id: z.string(),
    login: z.string(),
    role: z.enum(['reader', 'snapshotter', 'member', 'admin']).nullable(),
    previous_role: z.enum(['reader', 'snapshotter', 'member', 'admin']),
    suspends_at: z.number(),
  }),
});
