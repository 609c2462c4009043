import { holdKinds, recordTypes } from '@waymark/contract';
import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const retentionChanged = defineEntry({
  type: 'retention.changed',
  version: 1,
  summary:
    'The minimum number of years for which the org keeps records of a type was changed; `was` is the minimum before, ' +
    'which still holds for what was recorded under it if it is the longer one',
  payload: z.strictObject({ record_type: z.enum(recordTypes), minimum_years: z.int(), was: z.int() }),
});

const Hold = z.strictObject({
  name: z.string(),
  reason: z.string(),
  kind: z.enum(holdKinds),
  environment: z.strictObject({ id: z.string(), name: z.string() }).optional(),
  trail: z.strictObject({ id: z.string(), flow: z.string(), name: z.string() }).optional(),
  fingerprint: z.string().optional(),
});

export const legalHoldPlaced = defineEntry({
  type: 'legal_hold.placed',
  version: 1,
  summary:
    'A legal hold was placed on a trail, an artifact, an environment, or the whole org: nothing under it is erased',
  payload: Hold,
});

export const legalHoldLifted = defineEntry({
  type: 'legal_hold.lifted',
  version: 1,
  summary: 'A legal hold was lifted; `reason` is the one for which it was placed, `lift_reason` the one to lift it',
  payload: Hold.extend({ lift_reason: z.string() }),
});

export const attestationErased = defineEntry({
  type: 'attestation.erased',
  version: 1,
  summary:
    'The content and the attachment of an attestation were erased, with the content of the entries about it, which ' +
    '`entry_ids` names. What stays of the attestation is restated; `verdict_sha256` is the digest of the verdict ' +
    'that is left, `attachment` whether a file was attached',
  payload: z.strictObject({
    flow: z.string(),
    trail: z.string(),
    name: z.string(),
    type: z.string(),
    counts_as: z.string(),
    is_compliant: z.boolean(),
    trust: z.string(),
    receipt: z.number().int(),
    fingerprint: z.string().optional(),
    target_artifact: z.string().optional(),
    commit: z.string().optional(),
    branch: z.string().optional(),
    type_version: z.number().int().optional(),
    control: z.string().optional(),
    overrides: z.string().optional(),
    verdict_sha256: z.string(),
    attachment: z.boolean(),
    entry_ids: z.array(z.string()),
    reason: z.string(),
  }),
});
