import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const departureScheduled = defineEntry({
  type: 'departure.scheduled',
  version: 1,
  summary:
    'The identity provider took somebody out of the org or gave them a lesser role; the keys and workload identities ' +
    'they made are suspended at `suspends_at`, unless an admin keeps them or the person is back before',
  payload: z.strictObject({
    user_id: z.string(),
    login: z.string(),
    role: z.enum(['reader', 'snapshotter', 'member', 'admin']).nullable(),
    previous_role: z.enum(['reader', 'snapshotter', 'member', 'admin']),
    suspends_at: z.number(),
  }),
});
