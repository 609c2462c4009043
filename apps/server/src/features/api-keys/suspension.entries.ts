import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const workloadIdentitySuspended = defineEntry({
  type: 'workload_identity.suspended',
  version: 1,
  summary:
    'A workload identity was suspended, because the person who created it left the org or has a lower ' +
    'role than its service account',
  payload: z.strictObject({
    name: z.string(),
    service_account: z.string(),
    made_by: z.strictObject({ id: z.string(), login: z.string() }),
  }),
});
