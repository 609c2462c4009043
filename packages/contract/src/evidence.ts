import { z } from 'zod';
import { link, OrgName, ResourceName, text } from './primitives.ts';

/** Common wire fields of trails, artifacts and attestations. */

const Sha1 = /^[a-f0-9]{40}$/;
const Sha256 = /^[a-f0-9]{64}$/;

export const Fingerprint = z
  .string()
  .regex(Sha256, 'must be 64 lower-case hexadecimal digits')
  .meta({ description: 'SHA-256 of the artifact', examples: ['a'.repeat(64)] });

export const FingerprintPrefix = z
  .string()
  .regex(/^[a-f0-9]{5,64}$/, 'must be 5 to 64 lower-case hexadecimal digits')
  .meta({ description: 'A fingerprint, or at least its first 5 digits', examples: ['aaaaa'] });

export const CommitSha = z
  .string()
  .regex(Sha1, 'must be 40 lower-case hexadecimal digits')
  .meta({ description: 'A git commit', examples: ['b'.repeat(40)] });

export const CommitPrefix = z
  .string()
  .regex(/^[a-f0-9]{5,40}$/, 'must be 5 to 40 lower-case hexadecimal digits')
  .meta({ description: 'A git commit, or at least its first 5 digits', examples: ['bbbbb'] });

export const TrailName = ResourceName.meta({ description: 'Name of the trail' });
export const FlowName = ResourceName.meta({ description: 'Current or former name of the flow' });
/** Each name, type and target counts once, however often it is attested. */
export const TRAIL_ATTESTATIONS_MAX = 5_000;
/** Each fingerprint, template name and commit counts once. */
export const TRAIL_ARTIFACTS_MAX = 2_000;

export const AttestationName = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9\-_,]+$/, 'must contain only letters, digits, and - _ ,')
  .refine(isUsableKey, 'must not be __proto__')
  .meta({ description: 'Name of the attestation' });
export const TemplateArtifactName = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9\-_]+$/, 'must contain only letters, digits, and - _')
  .refine(isUsableKey, 'must not be __proto__')
  .meta({ description: 'Name of the artifact in the template' });

/** Names become keys of objects in answers. */
function isUsableKey(name: string): boolean {
  return name !== '__proto__';
}

export const OrgParams = z.strictObject({ org: OrgName });
export const FlowParams = z.strictObject({ org: OrgName, flow_name: FlowName });
export const TrailParams = z.strictObject({ org: OrgName, flow_name: FlowName, trail_name: TrailName });
export const FlowFingerprintParams = z.strictObject({
  org: OrgName,
  flow_name: FlowName,
  fingerprint: FingerprintPrefix,
});

/** JSON of the caller, stored unchanged. The platform has verified that it can be stored. */
export const FreeJson = z.unknown();

export const UserData = FreeJson.refine(
  (value) => value === undefined || typeof value === 'object',
  'must be an object or a list',
).meta({
  type: ['object', 'array'],
  description: 'Custom data: an object or a list',
  examples: [{ team: 'red' }],
});

/** Spec 2.3: unknown members are stored. */
export const GitCommitInfo = z
  .looseObject({
    sha1: CommitSha,
    message: text(100_000).nullish(),
    author: text(1000).nullish(),
    author_username: text(1000).nullish(),
    branch: text(1000).nullish(),
    timestamp: z.number().nullish(),
    url: link(2048).nullish(),
    parents: z.array(text(64)).max(1000).nullish(),
    verified: z.boolean().nullish(),
    signature_state: text(100).nullish(),
    signer_username: text(1000).nullish(),
    signed_by_platform: z.boolean().nullish(),
  })
  .meta({ id: 'GitCommitInfo' });
export type GitCommitInfo = z.infer<typeof GitCommitInfo>;

export const RepoInfo = z
  .looseObject({
    name: text(1000).min(1, 'must not be empty'),
    url: link(2048).nullish(),
    id: text(1000).nullish(),
    provider: text(100).nullish(),
    description: text(10_000).nullish(),
    namespace_path: z.array(text(1000)).max(100).nullish(),
    additional_info: z.record(z.string(), FreeJson).nullish(),
  })
  .meta({ id: 'RepoInfo' });
export type RepoInfo = z.infer<typeof RepoInfo>;

const KEY_MAX = 255;

const ExternalLink = z.object({ href: link(2048).nullish(), fingerprint: Fingerprint.nullish() });

/** A value may be anything; a link as clients send it must have a valid fingerprint. */
const ExternalUrl = FreeJson.superRefine((value, check) => {
  if (typeof value !== 'object' || value === null) return;
  const link = ExternalLink.safeParse(value);
  for (const issue of link.error?.issues ?? []) {
    check.addIssue({ code: 'custom', path: issue.path, message: issue.message });
  }
});

export const ExternalUrls = z.record(z.string().max(KEY_MAX), ExternalUrl).meta({
  description: 'Links: label to an object with `href` and, optionally, `fingerprint`. Other values are kept.',
  examples: [{ build: { href: 'https://ci.example.com/1' } }],
});

export const Annotations = z.record(z.string().max(KEY_MAX), FreeJson).meta({
  description: 'Custom notes: key to text, or to any other JSON, kept as sent',
  examples: [{ reviewer: 'ada' }],
});

/** Domain rule: a repeat under the same id is answered like the first. */
export const EvidenceHeaders = z.object({
  'waymark-evidence-id': z
    .uuid('must be a UUID')
    .optional()
    .meta({ description: 'Makes repeated reports idempotent: a UUID of your choice, unique in the org' }),
  'waymark-claimed-at': z
    .string()
    .regex(/^\d{1,10}(\.\d{1,6})?$/, 'must be seconds since 1970')
    .optional()
    .meta({
      description:
        'When it happened, if earlier than now, in seconds since 1970. The time of receipt ' +
        'decides which report is newest.',
    }),
});

export const Pagination = z.object({
  total: z.number().int(),
  page: z.number().int(),
  per_page: z.number().int(),
  page_count: z.number().int(),
});

export const Links = z.record(z.string(), z.object({ href: z.string() }));

export const PerPage = (max: number) => z.coerce.number().int().min(1).max(max).optional();

/** Errors are those of the item, unless there are too many items. */
export const repeated = <T extends z.ZodType>(item: T, max: number) =>
  z
    .union([item, z.array(item).max(max)], {
      error: ({ input, errors }) => {
        const isList = Array.isArray(input);
        const reason = errors[isList ? 1 : 0]?.[0]?.message;
        return isList && input.length > max ? `must be given at most ${max} times` : reason;
      },
    })
    .optional();

export const ExplanationFound = z.object({
  kind: z.string(),
  id: z.string(),
  name: z.string(),
  type: z.string().nullable(),
  is_compliant: z.boolean().nullable(),
  at: z
    .number()
    .nullable()
    .meta({ description: 'Time of receipt, in seconds since 1970; null for the artifact that a policy found' }),
  control: z.string().optional().meta({ description: 'For a decision: the control it is about' }),
});

export type ExplanationFound = z.infer<typeof ExplanationFound>;

/** Describes explanations: one shape for trails, artifacts and their requirements. */
export interface Explanation {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly needs: string;
  readonly found: readonly ExplanationFound[];
  readonly because: string;
  readonly fix: string | null;
  readonly since: number | null;
  readonly children: readonly Explanation[];
}

/** Its type is written out: a recursive schema cannot infer it. */
export const Explanation: z.ZodType<Explanation> = z
  .object({
    id: z.string(),
    kind: z.string(),
    status: z.string(),
    needs: z.string(),
    found: z.array(ExplanationFound),
    because: z.string(),
    fix: z.string().nullable(),
    since: z.number().nullable(),
    get children() {
      return z.array(Explanation);
    },
  })
  .meta({ id: 'Explanation', description: 'What is required, what was found, and whether that is sufficient' });

const SlotStatus = z.object({
  attestation_name: z.string(),
  attestation_type: z.string(),
  attestation_id: z.string().nullable(),
  overridden_attestation_id: z.string().nullable(),
  status: z.enum(['MISSING', 'COMPLETE']),
  is_compliant: z.boolean().nullable(),
  unexpected: z.boolean(),
});

export const TrailState = z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']);

export const ArtifactStatus = z
  .object({
    artifact_fingerprint: z.string().nullable(),
    artifact_id: z.string().nullable(),
    status: z.enum(['MISSING', 'INCOMPLETE', 'COMPLIANT', 'NON-COMPLIANT']),
    is_compliant: z.boolean().nullable(),
    attestations_statuses: z.array(SlotStatus),
    unexpected: z.boolean(),
    evaluated_at: z.number(),
    flow_template_id: z.string(),
  })
  .meta({ id: 'ArtifactStatus' });

export const Unplaced = z.object({
  attestation_id: z.string(),
  attestation_name: z.string(),
  target_artifact: z.string(),
  git_commit: z.string(),
  state: z.enum(['pending', 'unbound']),
  hints: z.array(z.string()),
});

export const ComplianceStatus = z
  .object({
    status: TrailState,
    is_compliant: z.boolean(),
    evaluated_at: z.number(),
    flow_template_id: z.string(),
    attestations_statuses: z.array(SlotStatus),
    artifacts_statuses: z.record(z.string(), ArtifactStatus),
  })
  .meta({ id: 'ComplianceStatus' });
