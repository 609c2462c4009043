import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const evidenceExpiring = defineEntry({
  type: 'environment.evidence_expiring',
  version: 1,
  summary:
    'Artifacts that run in an environment will not be compliant anymore from the given times, because evidence that a ' +
    'policy accepts for a limited time runs out; `artifacts` are the first 20',
  payload: z.strictObject({
    environment: z.string(),
    /** The earliest. */
    expires_at: z.number(),
    artifact_count: z.number().int(),
    artifacts: z.array(
      z.strictObject({
        name: z.string(),
        fingerprint: z.string(),
        expires_at: z.number(),
        policies: z.array(z.string()),
      }),
    ),
  }),
});
