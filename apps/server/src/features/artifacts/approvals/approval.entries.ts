import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const approvalRecorded = defineEntry({
  type: 'approval.recorded',
  version: 1,
  summary:
    'An artifact was approved or declined, or its approval was requested; `content_sha256` is the digest ' +
    'of the payload',
  payload: z.strictObject({
    flow: z.string(),
    trail: z.string(),
    number: z.number().int(),
    fingerprint: z.string(),
    state: z.enum(['APPROVED', 'UNAPPROVED', 'PENDING']),
    reviewer: z.string().optional(),
    environment: z.string().optional(),
    content_sha256: z.string(),
    evidence_id: z.string().optional(),
    claimed_at: z.number().optional(),
  }),
});
