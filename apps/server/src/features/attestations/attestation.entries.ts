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

const OVERRIDING = { overrides: z.string(), reason: z.string() };

const RECORDED_SUMMARY =
  'Evidence was recorded and judged; `content_sha256` is the digest of the payload, `verdict_sha256` ' +
  'that of the reasons, the attachment summary, and the versions of the judging components, ' +
  '`workload_sha256` that of the verified claims of the job that reported it';
const OVERRIDDEN_SUMMARY =
  'The verdict of an earlier attestation was overridden; `overrides` is its id, `reason` the stated reason';
const RECEIPT = '`receipt` is its place in the order in which the org received evidence';

/** No longer written. */
defineEntry({ type: 'attestation.recorded', version: 2, summary: RECORDED_SUMMARY, payload: Recorded });
defineEntry({
  type: 'attestation.overridden',
  version: 2,
  summary: OVERRIDDEN_SUMMARY,
  payload: z.strictObject({ ...Recorded.shape, ...OVERRIDING }),
});

const Received = z.strictObject({ ...Recorded.shape, receipt: z.number().int() });

/** No longer written. */
defineEntry({
  type: 'attestation.recorded',
  version: 3,
  summary: `${RECORDED_SUMMARY}; ${RECEIPT}`,
  payload: Received,
});
defineEntry({
  type: 'attestation.overridden',
  version: 3,
  summary: `${OVERRIDDEN_SUMMARY}; ${RECEIPT}`,
  payload: z.strictObject({ ...Received.shape, ...OVERRIDING }),
});

const Identified = z.strictObject({
  ...Received.shape,
  recorded_by: z
    .strictObject({
      kind: z.enum(['user', 'service_account', 'workload']),
      id: z.string(),
      name: z.string(),
      role: z.string(),
      aliases: z.array(z.string()).optional(),
      groups: z.array(z.string()).optional(),
    })
    .optional(),
});
const RECORDED_BY =
  '`recorded_by` is the identity that recorded it as it was then: with its role, and of a person other names and ' +
  'the groups of the identity provider';

export const attestationRecorded = defineEntry({
  type: 'attestation.recorded',
  version: 4,
  summary: `${RECORDED_SUMMARY}; ${RECEIPT}; ${RECORDED_BY}`,
  payload: Identified,
});

export const attestationOverridden = defineEntry({
  type: 'attestation.overridden',
  version: 4,
  summary: `${OVERRIDDEN_SUMMARY}; ${RECEIPT}; ${RECORDED_BY}`,
  payload: z.strictObject({ ...Identified.shape, ...OVERRIDING }),
});
