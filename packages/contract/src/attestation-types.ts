import { z } from 'zod';
import { contract } from './contract.ts';
import { EpochSeconds, OrgName, text, Unreadable } from './primitives.ts';

export const TYPE_SCHEMA_MAX_BYTES = 64 * 1024;

/** No dot: templates refer to a type as `custom:` and its name. */
export const AttestationTypeName = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_~]*$/, 'must start with a letter or digit and hold only letters, digits and - _ ~');

const OrgParams = z.strictObject({ org: OrgName });
const TypeParams = z.strictObject({ org: OrgName, name: AttestationTypeName });

const Evaluator = z
  .strictObject({
    content_type: z.enum(['default', 'jq']),
    rules: z
      .array(text(4096))
      .max(50)
      .nullish()
      .meta({ description: 'Expressions in jq. Data is compliant when each yields exactly one `true`' }),
  })
  .meta({ id: 'AttestationTypeEvaluator' });

const SummaryLine = z
  .strictObject({ name: text(255), expression: text(4096).meta({ description: 'In jq; its first value is shown' }) })
  .meta({ id: 'AttestationTypeSummaryLine' });

const TypeSchema = z.record(z.string(), z.unknown());

export const AttestationTypeInput = z
  .strictObject({
    name: AttestationTypeName,
    description: text(10_000).nullish(),
    evaluator: Evaluator.nullish(),
    summary: z.array(SummaryLine).max(50).nullish(),
    comment: text(10_000).nullish().meta({ description: 'What is new in this version' }),
    type_schema: TypeSchema.nullish().meta({
      description: 'JSON Schema (draft 2020-12 or 07) that data must fit; a file replaces it',
    }),
  })
  .meta({
    id: 'AttestationTypeInput',
    description: 'A description that is absent or null is left as it is; all else belongs to the new version alone',
  });
export type AttestationTypeInput = z.infer<typeof AttestationTypeInput>;

export const AttestationTypeVersion = z
  .object({
    version: z.number().int(),
    timestamp: EpochSeconds,
    created_by: z.string(),
    comment: z.string().optional(),
    type_schema: TypeSchema.nullable().meta({ description: 'JSON Schema that data must fit, or null' }),
    evaluator: Evaluator,
    summary: z.array(SummaryLine).nullable(),
    unreadable: Unreadable,
  })
  .meta({ id: 'AttestationTypeVersion' });
export type AttestationTypeVersion = z.infer<typeof AttestationTypeVersion>;

export const AttestationType = z
  .object({
    name: z.string(),
    description: z.string().optional().meta({ description: 'Absent when none was given' }),
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
  summary: 'Create a custom attestation type, or a new version of it',
  description:
    'The first request with a name creates version 1, every further one adds a version, even if nothing differs. ' +
    'The schema and all expressions are compiled here; what cannot be used is refused. Expressions may not use the ' +
    'time, the environment, other input or modules, so that a verdict can be repeated. ' +
    'The name of an archived type is free: a new type starts at version 1.',
  tag: 'Attestation types',
  method: 'POST',
  path: '/custom-attestation-types/:org',
  access: 'record_evidence',
  dryRun: true,
  params: OrgParams,
  body: AttestationTypeInput,
  form: {
    json: 'data_json',
    file: { name: 'type_schema', description: 'JSON Schema that data must fit', maxBytes: TYPE_SCHEMA_MAX_BYTES },
  },
  status: 201,
  reply: z.string(),
  errors: [400, 401, 403, 413, 429, 503],
});

export const listAttestationTypes = contract({
  id: 'listAttestationTypes',
  summary: 'List the custom attestation types of an org',
  description:
    'All types with all their versions, by name. Archived ones are not listed. A very long list ends early and a ' +
    '`Link` header with `rel="next"` leads to the rest.',
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
    'With all its versions, or with the one asked for. A version is also found when its type is archived, unless ' +
    'an active type of that name has a version of that number.',
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
  description: 'No new evidence can be of this type, and its name is free. What was judged by it stays.',
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
