import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Recorded = z.strictObject({
  flow: z.string(),
  trail: z.string(),
  name: z.string(),
  type: z.string(),
  is_compliant: z.boolean(),
  trust: z.string(),
  fingerprint: z.string().optional(),
  target_artifact: z.string().optional(),
  commit: z.string().optional(),
  type_version: z.number().int().optional(),
  control: z.string().optional(),
  attachment: z.strictObject({ sha256: z.string(), name: z.string(), size: z.number() }).optional(),
  content_sha256: z.string(),
  verdict_sha256: z.string(),
  evidence_id: z.string().optional(),
  claimed_at: z.number().optional(),
  workload_sha256: z.string().optional(),
});

export const attestationRecorded = defineEntry({
  type: 'attestation.recorded',
  version: 2,
  summary:
    'Evidence was recorded and judged; `content_sha256` is the digest of the payload, `verdict_sha256` ' +
    'that of the reasons, the attachment summary, and the versions of the judging components, ' +
    '`workload_sha256` that of the verified claims of the job that reported it',
  payload: Recorded,
});

export const attestationOverridden = defineEntry({
  type: 'attestation.overridden',
  version: 2,
  summary: 'The verdict of an earlier attestation was overridden; `overrides` is its id, `reason` the stated reason',
  payload: z.strictObject({ ...Recorded.shape, overrides: z.string(), reason: z.string() }),
});
