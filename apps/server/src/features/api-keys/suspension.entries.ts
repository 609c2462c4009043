import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const workloadIdentitySuspended = defineEntry({
  type: 'workload_identity.suspended',
  version: 1,
  summary:
    'Jobs get no keys by this workload identity from now on, because the person who made it left the org or may do less ' +
    'than its service account',
  payload: z.strictObject({
    name: z.string(),
    service_account: z.string(),
    made_by: z.strictObject({ id: z.string(), login: z.string() }),
  }),
});
