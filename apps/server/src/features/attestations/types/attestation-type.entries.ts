import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

export const attestationTypeVersioned = defineEntry({
  type: 'attestation_type.versioned',
  version: 1,
  summary:
    'A version of a custom attestation type was created, the first one together with the type; without ' +
    'rules it has the default evaluator, without a digest no schema',
  payload: z.strictObject({
    name: z.string(),
    version: z.number().int(),
    description: z.string(),
    schema_sha256: z.string().nullable(),
    rules: z.array(z.string()).nullable(),
    summary: z.array(z.strictObject({ name: z.string(), expression: z.string() })).nullable(),
    comment: z.string().optional(),
  }),
});

export const attestationTypeArchived = defineEntry({
  type: 'attestation_type.archived',
  version: 1,
  summary: 'A custom attestation type was archived and its name was freed',
  payload: z.strictObject({ name: z.string() }),
});
