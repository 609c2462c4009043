import { z } from 'zod';
import { contract } from './contract.ts';
import { EpochSeconds, OrgName, text, Unreadable } from './primitives.ts';

export const TYPE_SCHEMA_MAX_BYTES = 64 * 1024;

/** No dot: templates refer to a type as `custom:` and its name. */
export const AttestationTypeName = z
  .string()
  .max(255)
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9\-_~]*$/,
    'must start with a letter or digit and contain only letters, digits, and - _ ~',
  );

const OrgParams = z.strictObject({ org: OrgName });
const TypeParams = z.strictObject({ org: OrgName, name: AttestationTypeName });

const Evaluator = z
  .strictObject({
    content_type: z.enum(['default', 'jq']),
    rules: z
      .array(text(4096))
      .max(50)
      .nullish()
      .meta({ description: 'jq expressions. Data is compliant if each yields exactly one `true`' }),
  })
  .meta({ id: 'AttestationTypeEvaluator' });

const SummaryLine = z
  .strictObject({
    name: text(255),
    expression: text(4096).meta({ description: 'jq expression; its first value is shown' }),
  })
  .meta({ id: 'AttestationTypeSummaryLine' });

const TypeSchema = z.record(z.string(), z.unknown());

export const AttestationTypeInput = z
  .strictObject({
    name: AttestationTypeName,
    description: text(10_000).nullish(),
    evaluator: Evaluator.nullish(),
    summary: z.array(SummaryLine).max(50).nullish(),
    comment: text(10_000).nullish().meta({ description: 'Changes in this version' }),
    type_schema: TypeSchema.nullish().meta({
      description: 'JSON Schema (draft 2020-12 or 07) that data must match; an uploaded file replaces it',
    }),
  })
  .meta({
    id: 'AttestationTypeInput',
    description: 'A description that is absent or null is kept; all other fields apply to the new version only',
  });
export type AttestationTypeInput = z.infer<typeof AttestationTypeInput>;

export const AttestationTypeVersion = z
  .object({
    version: z.number().int(),
    timestamp: EpochSeconds,
    created_by: z.string(),
    comment: z.string().optional(),
    type_schema: TypeSchema.nullable().meta({ description: 'JSON Schema that data must match, or null' }),
    evaluator: Evaluator,
    summary: z.array(SummaryLine).nullable(),
    unreadable: Unreadable,
  })
  .meta({ id: 'AttestationTypeVersion' });
export type AttestationTypeVersion = z.infer<typeof AttestationTypeVersion>;

export const AttestationType = z
  .object({
    name: z.string(),
    description: z.string().optional().meta({ description: 'Absent if none was given' }),
    org: z.string(),
    archived: z.boolean(),
    created_by: z.string(),
    created_at: EpochSeconds,
    last_modified_at: EpochSeconds,
    versions: z.array(AttestationTypeVersion).meta({ description: 'Newest first' }),
  })
  .meta({ id: 'AttestationType' });
export type AttestationType = z.infer<typeof AttestationType>;

export const postAttestationType = contract({
  id: 'postAttestationType',
  summary: 'Create a custom attestation type, or a new version of one',
  description:
    'The first request with a name creates version 1; each further request adds a version, even if nothing ' +
    'changed. The schema and all expressions are compiled first, and invalid ones are rejected. Expressions ' +
    'cannot use the time, the environment, other input, or modules, so that a verdict can be reproduced. The name ' +
    'of an archived type can be reused: a new type starts at version 1.',
  tag: 'Attestation types',
  method: 'POST',
  path: '/custom-attestation-types/:org',
  access: 'record_evidence',
  dryRun: true,
  params: OrgParams,
  body: AttestationTypeInput,
  form: {
    json: 'data_json',
    file: { name: 'type_schema', description: 'JSON Schema that data must match', maxBytes: TYPE_SCHEMA_MAX_BYTES },
  },
  status: 201,
  reply: z.string(),
  errors: [400, 401, 403, 413, 429, 503],
});

export const listAttestationTypes = contract({
  id: 'listAttestationTypes',
  summary: 'List the custom attestation types of an org',
  description:
    'Returns all types with all their versions, sorted by name. Archived types are not listed. A very long list ' +
    'is cut, and a `Link` header with `rel="next"` points to the rest.',
  tag: 'Attestation types',
  method: 'GET',
  path: '/custom-attestation-types/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
  }),
  status: 200,
  reply: z.array(AttestationType),
  errors: [400, 401, 403, 429, 503],
});

export const getAttestationType = contract({
  id: 'getAttestationType',
  summary: 'Get one custom attestation type',
  description:
    'Returns all versions, or the requested one. A version of an archived type is also found, unless an active ' +
    'type of the same name has a version with that number.',
  tag: 'Attestation types',
  method: 'GET',
  path: '/custom-attestation-types/:org/:name',
  access: 'read',
  params: TypeParams,
  query: z.strictObject({ version: z.coerce.number().int().min(1).max(1_000_000).optional() }),
  status: 200,
  reply: AttestationType,
  errors: [400, 401, 403, 404, 429, 503],
});

export const archiveAttestationType = contract({
  id: 'archiveAttestationType',
  summary: 'Archive a custom attestation type',
  description:
    'The type can no longer be used for new evidence, and its name can be reused. Existing verdicts are kept.',
  tag: 'Attestation types',
  method: 'PUT',
  path: '/custom-attestation-types/:org/:name/archive',
  access: 'record_evidence',
  dryRun: true,
  params: TypeParams,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 429, 503],
});
