import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName } from './environments.ts';
import { Fingerprint, FlowName, OrgParams, TrailName } from './evidence.ts';
import { EpochSeconds, filledText, OrgName } from './primitives.ts';

export const RETENTION_YEARS_MAX = 100;
export const LEGAL_HOLDS_MAX = 1_000;

/** The types of records for which an org sets how long they are kept, with what belongs to each. */
export const RECORD_TYPES = {
  attestations: 'Attestations: their content, their verdict, and the attached file',
  trails: 'Journal entries about flows, trails, artifacts, and approvals',
  environments: 'Journal entries about environments: snapshots, waivers, and attached policies',
  people: 'Journal entries about members, service accounts, API keys, and sign-in',
  settings: 'All other journal entries: policies, controls, attestation types, notifications, and org settings',
} as const;
export type RecordType = keyof typeof RECORD_TYPES;
export const recordTypes = Object.keys(RECORD_TYPES) as [RecordType, ...RecordType[]];

const RecordTypeName = z.enum(recordTypes);

const Years = z.number().int().min(0).max(RETENTION_YEARS_MAX);

const RetentionRule = z
  .object({
    record_type: RecordTypeName,
    minimum_years: Years.meta({ description: 'Nothing of this type is erased before; 0 for no minimum' }),
    set_at: EpochSeconds.nullable().meta({ description: 'Null if it was never set' }),
    set_by: z.string().nullable(),
    earlier_minimums: z
      .array(z.object({ minimum_years: Years, recorded_until: EpochSeconds }))
      .meta({ description: 'Longer minimums of the past, which still apply to what was recorded until then' }),
  })
  .meta({ id: 'RetentionRule' });
export type RetentionRule = z.infer<typeof RetentionRule>;

export const Retention = z.object({ record_types: z.array(RetentionRule) }).meta({ id: 'Retention' });
export type Retention = z.infer<typeof Retention>;

export const getRetention = contract({
  id: 'getRetention',
  summary: 'Get how long an org keeps its records',
  tag: 'Retention',
  method: 'GET',
  path: '/organizations/:org/retention',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: Retention,
  errors: [400, 401, 403, 429, 503],
});

export const putRetention = contract({
  id: 'putRetention',
  summary: 'Set how long an org keeps its records at least',
  description:
    'A higher minimum applies at once to everything recorded, also in the past. A lower one applies to what is ' +
    'recorded from then on: what was recorded under a higher minimum keeps it. Record types that are left out ' +
    'keep their minimum.',
  tag: 'Retention',
  method: 'PUT',
  path: '/organizations/:org/retention',
  access: 'manage_retention',
  params: OrgParams,
  body: z
    .strictObject({
      minimum_years: z
        .partialRecord(RecordTypeName, Years)
        .refine((years) => Object.keys(years).length > 0, 'must name a record type')
        .meta({ description: 'Years by record type', examples: [{ attestations: 7 }] }),
    })
    .meta({ id: 'RetentionInput' }),
  status: 200,
  reply: Retention,
  errors: [400, 401, 403, 413, 429, 503],
});

export const Erasure = z
  .object({
    attestation_id: z.string(),
    attestation_name: z.string(),
    flow_name: z.string(),
    trail_name: z.string(),
    reason: z.string(),
    erased_at: EpochSeconds,
    erased_by: z.string(),
    attachment: z.enum(['none', 'pending', 'removed', 'shared']).meta({
      description:
        'The attached file: `none` was attached; `pending` until it is removed, minutes later, or an hour after the ' +
        'last upload of the same file; `removed`; or `shared`: kept because another attestation has the same file',
    }),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof Erasure>;

export const holdKinds = ['org', 'environment', 'trail', 'artifact'] as const;

export const LegalHold = z
  .object({
    id: z.string(),
    name: z.string(),
    reason: z.string(),
    kind: z.enum(holdKinds).meta({ description: 'What is held' }),
    env_name: z.string().nullable(),
    flow_name: z.string().nullable(),
    trail_name: z.string().nullable(),
    artifact_fingerprint: z.string().nullable(),
    placed_at: EpochSeconds,
    placed_by: z.string(),
    lifted_at: EpochSeconds.nullable(),
    lifted_by: z.string().nullable(),
    lift_reason: z.string().nullable(),
  })
  .meta({ id: 'LegalHold' });
export type LegalHold = z.infer<typeof LegalHold>;

/** Of a hold, its end, or an erasure: it is recorded for ever. */
export const PermanentReason = filledText(2_000, 'must say why').meta({
  description: 'Reason, shown to all members and recorded in the journal, where it stays',
  examples: ['Case 2026-114'],
});

export const HeldSubject = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('org') }),
    z.strictObject({ kind: z.literal('environment'), env_name: EnvironmentName }),
    z.strictObject({ kind: z.literal('trail'), flow_name: FlowName, trail_name: TrailName }),
    z.strictObject({ kind: z.literal('artifact'), artifact_fingerprint: Fingerprint }),
  ])
  .meta({ id: 'HeldSubject' });
export type HeldSubject = z.infer<typeof HeldSubject>;

export const placeLegalHold = contract({
  id: 'placeLegalHold',
  summary: 'Place a legal hold',
  description:
    'Nothing under a legal hold can be erased, by anyone, until the hold is lifted. A hold on a trail covers all ' +
    'evidence in it; one on an artifact covers all trails in which the artifact was or will be reported; one on an ' +
    'environment covers the same for each artifact that ran or will run there; one on the org covers everything. ' +
    'Journal entries that belong to no trail are under every hold. Repeating the request returns the hold in place.',
  tag: 'Retention',
  method: 'POST',
  path: '/organizations/:org/legal-holds',
  access: 'manage_retention',
  params: OrgParams,
  body: z
    .strictObject({
      name: filledText(255, 'must not be empty').meta({
        description: 'Name, unique among the holds in place',
        examples: ['Case 2026-114'],
      }),
      reason: PermanentReason,
      subject: HeldSubject,
    })
    .meta({ id: 'LegalHoldInput' }),
  status: 201,
  reply: LegalHold,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const listLegalHolds = contract({
  id: 'listLegalHolds',
  summary: 'List the legal holds of an org, newest first',
  tag: 'Retention',
  method: 'GET',
  path: '/organizations/:org/legal-holds',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    lifted: z.enum(['true', 'false']).optional().meta({ description: 'With `true`, also lists lifted holds' }),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
  }),
  status: 200,
  reply: z.array(LegalHold),
  replyHeaders: { link: 'Link to the rest of the array, if any' },
  errors: [400, 401, 403, 429, 503],
});

export const liftLegalHold = contract({
  id: 'liftLegalHold',
  summary: 'Lift a legal hold',
  description: 'Lifting a lifted hold again changes nothing.',
  tag: 'Retention',
  method: 'POST',
  path: '/organizations/:org/legal-holds/:hold_id/lift',
  access: 'manage_retention',
  params: z.strictObject({
    org: OrgName,
    hold_id: z.uuid('must be the id of a legal hold').meta({ description: 'Id of the legal hold' }),
  }),
  body: z.strictObject({ reason: PermanentReason }).meta({ id: 'LegalHoldLift' }),
  status: 200,
  reply: LegalHold,
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const eraseAttestation = contract({
  id: 'eraseAttestation',
  summary: 'Erase the content of an attestation',
  description:
    'Permanently erases what was sent, the attached file, the reasons, and everything read from them. The attestation ' +
    'stays in its place with its verdict and its times, and shows who erased it, when, and why; proofs of it stay ' +
    'valid. Answers 409 under a legal hold and before the retention minimum has passed. Verdicts of the past stay as ' +
    'they are. A pull request attestation no longer shows any approvals, so policies that require them fail from ' +
    'then on. Repeating the request changes nothing.',
  tag: 'Retention',
  method: 'POST',
  path: '/organizations/:org/attestations/:attestation_id/erase',
  access: 'manage_retention',
  params: z.strictObject({
    org: OrgName,
    attestation_id: z.uuid('must be the id of an attestation').meta({ description: 'Id of the attestation' }),
  }),
  body: z.strictObject({ reason: PermanentReason }).meta({ id: 'ErasureInput' }),
  status: 200,
  reply: Erasure,
  errors: [400, 401, 403, 404, 409, 413, 429, 503],
});

export const listErasures = contract({
  id: 'listErasures',
  summary: 'List the erased attestations of an org, newest first',
  tag: 'Retention',
  method: 'GET',
  path: '/organizations/:org/erasures',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
  }),
  status: 200,
  reply: z.array(Erasure),
  replyHeaders: { link: 'Link to the rest of the array, if any' },
  errors: [400, 401, 403, 429, 503],
});
