import { z } from 'zod';
import { BinaryReply, contract } from './contract.ts';
import {
  Annotations,
  AttestationName,
  CommitSha,
  EvidenceHeaders,
  ExternalUrls,
  Fingerprint,
  FingerprintPrefix,
  FlowName,
  FlowParams,
  FreeJson,
  GitCommitInfo,
  Links,
  OrgParams,
  PerPage,
  RepoInfo,
  repeated,
  TemplateArtifactName,
  TrailName,
  TrailParams,
  UserData,
} from './evidence.ts';
import { FindingLevel } from './finding-levels.ts';
import { EpochSeconds, filledText, link, OrgName, Page, text, Unreadable } from './primitives.ts';
import { Role } from './roles.ts';
import { Workload } from './workload-identities.ts';

const common = {
  attestation_name: AttestationName,
  target_artifacts: z.array(TemplateArtifactName).max(1).nullish().meta({
    description:
      'Name of the artifact in the template; the artifact does not have to be reported yet. Requires a commit',
  }),
  artifact_fingerprint: Fingerprint.nullish(),
  git_commit_info: GitCommitInfo.nullish(),
  repo_info: RepoInfo.nullish(),
  external_urls: ExternalUrls.nullish(),
  origin_url: link(2048).nullish(),
  user_data: UserData.nullish(),
  description: text(10_000).nullish(),
  annotations: Annotations.nullish(),
};

const Count = z.number().int().min(0);

const GenericAttestation = z.strictObject({ ...common, is_compliant: z.boolean() }).meta({ id: 'GenericAttestation' });

const JunitAttestation = z
  .strictObject({
    ...common,
    junit_results: z
      .array(
        z.strictObject({
          name: text(1000),
          failures: Count,
          errors: Count,
          skipped: Count,
          total: Count,
          duration: z.number(),
          timestamp: z.number().nullish(),
        }),
      )
      .max(10_000)
      .nullish()
      .meta({ description: 'Not needed if a JUnit XML file is attached: the server reads it' }),
  })
  .meta({ id: 'JunitAttestation' });

const Finding = z.looseObject({ id: text(1000), message: text(100_000) });

const SnykAttestation = z
  .strictObject({
    ...common,
    snyk_results: z
      .looseObject({
        schema_version: z.number().nullish(),
        tool: z.looseObject({ name: text(1000), version: text(1000).nullish() }).nullish(),
        results: z
          .array(
            z.looseObject({
              high_count: Count,
              medium_count: Count,
              low_count: Count,
              critical_count: Count.nullish(),
              critical: z.array(Finding).max(10_000).nullish(),
              high: z.array(Finding).max(10_000).nullish(),
              medium: z.array(Finding).max(10_000).nullish(),
              low: z.array(Finding).max(10_000).nullish(),
            }),
          )
          .max(1000),
      })
      .nullish()
      .meta({
        description: 'Not needed if a scan result is attached: the server reads it',
        examples: [{ results: [{ high_count: 0, medium_count: 0, low_count: 1 }] }],
      }),
    fails_at: FindingLevel.nullish().meta({
      description: 'Findings of this level or worse fail. Applies only if stricter than the org and the template',
    }),
  })
  .meta({ id: 'SnykAttestation' });

const SonarAttestation = z
  .strictObject({
    ...common,
    sonar_results: z
      .looseObject({
        qualityGate: z.looseObject({ status: text(100) }).nullish(),
        project: z.looseObject({ key: text(1000), url: link(2048).nullish() }).nullish(),
        revision: text(100).nullish(),
        analysedAt: FreeJson.nullish(),
      })
      .meta({ examples: [{ qualityGate: { status: 'OK' }, project: { key: 'web' } }] }),
  })
  .meta({ id: 'SonarAttestation' });

const JiraAttestation = z
  .strictObject({
    ...common,
    jira_results: z
      .array(
        z.looseObject({
          issue_id: text(255),
          issue_url: link(2048).nullish(),
          issue_exists: z.boolean(),
          issue_fields: z.record(z.string(), FreeJson).nullish(),
        }),
      )
      .max(1000),
  })
  .meta({ id: 'JiraAttestation' });

const Person = z.union([
  text(1000),
  z.strictObject({ username: text(1000), state: text(100).nullish(), timestamp: z.number().nullish() }),
]);

/** Spec 2.5, and the older shape in which approvers are names. */
const PullRequest = z
  .strictObject({
    url: link(2048),
    state: text(100),
    merge_commit: text(1000).nullish().meta({ description: 'The commit as the git host names it, or empty' }),
    author: text(1000).nullish(),
    title: text(10_000).nullish(),
    approvers: z.array(Person).max(1000).nullish(),
    reviews: z
      .array(
        z.strictObject({
          username: text(1000),
          state: text(100),
          timestamp: z.number().nullish(),
          commit_sha: text(64).nullish(),
        }),
      )
      .max(1000)
      .nullish(),
    commits: z.array(GitCommitInfo).max(10_000).nullish(),
    created_at: z.number().nullish(),
    merged_at: z.number().nullish(),
    head_ref: text(1000).nullish(),
    base_ref: text(1000).nullish(),
  })
  .meta({ id: 'PullRequest' });

const PullRequestAttestation = z
  .strictObject({
    ...common,
    git_provider: text(100).meta({ description: 'For example github, gitlab, bitbucket, azure', examples: ['github'] }),
    pull_requests: z.array(PullRequest).max(1000),
  })
  .meta({ id: 'PullRequestAttestation' });

const TypeName = z
  .string()
  .max(255)
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9\-_~]*$/,
    'must start with a letter or digit and contain only letters, digits, and - _ ~',
  );

const CustomAttestation = z
  .strictObject({ ...common, type_name: TypeName, attestation_data: FreeJson.meta({ examples: [{ coverage: 81 }] }) })
  .refine((body) => body.attestation_data !== undefined, { message: 'is required', path: ['attestation_data'] })
  .meta({ id: 'CustomAttestation' });

const DecisionAttestation = z
  .strictObject({
    ...common,
    type_name: z.literal('decision').nullish(),
    control: z
      .string()
      .max(256)
      .regex(/^[a-zA-Z0-9\-._~]+$/, 'must contain only letters, digits, and - . _ ~')
      .meta({ description: 'Identifier of the decided control', examples: ['SDLC-7'] }),
    attestation_data: z.looseObject({ is_compliant: z.boolean() }).meta({
      examples: [{ is_compliant: true }],
    }),
  })
  .meta({ id: 'DecisionAttestation' });

const OverrideAttestation = z
  .strictObject({
    ...common,
    reason: filledText(10_000, 'must say why'),
    new_compliance_status: z.boolean(),
    original_attestation_type: text(300).meta({
      description: 'Type of the attestation whose verdict is replaced',
      examples: ['generic'],
    }),
    attestation_id: z
      .uuid('must be the id of an attestation')
      .nullish()
      .meta({
        description:
          'Id of the attestation that you reviewed. Default: the newest report of this name, type, and target. ' +
          'The id of an override refers to the report that it overrides',
      }),
  })
  .meta({ id: 'OverrideAttestation' });

const SbomAttestation = z.strictObject({ ...common }).meta({ id: 'SbomAttestation' });
const VexAttestation = z.strictObject({ ...common }).meta({ id: 'VexAttestation' });
const InTotoAttestation = z
  .strictObject({ ...common, artifact_fingerprint: Fingerprint })
  .meta({ id: 'InTotoAttestation' });

function attest<const Id extends string, const Kind extends string, Body extends z.ZodType>(
  id: Id,
  kind: Kind,
  body: Body,
  { conflicts, ...words }: { summary: string; description: string; conflicts?: true },
) {
  return contract({
    id,
    ...words,
    tag: 'Attestations',
    method: 'POST',
    path: `/attestations/:org/:flow_name/trail/:trail_name/${kind}`,
    access: 'record_evidence',
    dryRun: true,
    addsEvidence: true,
    params: TrailParams,
    headers: EvidenceHeaders,
    body,
    form: {
      json: 'data_json',
      file: {
        name: 'attachment_file',
        description: 'The evidence file, kept byte for byte',
        store: true,
      },
    },
    status: 201,
    reply: z.string(),
    replyHeaders: {
      'Waymark-Attestation': 'The id, followed by `bound`, `pending` (its artifact is not reported yet), or `unbound`',
    },
    errors: conflicts ? [400, 401, 403, 409, 413, 429, 503] : [400, 401, 403, 413, 429, 503],
  });
}

const BINDING =
  'The attestation is about the trail; about a reported artifact, given its fingerprint; or about an artifact ' +
  'that is not reported yet, given its name in the template and the commit. A missing trail is created; so is a ' +
  'missing flow, which is then marked `auto_created`. A trail can contain attestations of at most 5,000 different ' +
  'names, types, and targets.';

export const attestGeneric = attest('attestGeneric', 'generic', GenericAttestation, {
  summary: 'Report a generic attestation, with compliance decided by the caller',
  description: BINDING,
});

export const attestJunit = attest('attestJunit', 'junit', JunitAttestation, {
  summary: 'Report test results',
  description:
    'Compliant if tests ran without failures and errors, as read from the attached JUnit XML, or else ' +
    `from the body. ${BINDING}`,
});

export const attestSnyk = attest('attestSnyk', 'snyk', SnykAttestation, {
  summary: 'Report a vulnerability scan',
  description:
    'Reads the attached SARIF file, or the JSON output of Snyk, Trivy, Grype, Gitleaks, or OSV-Scanner, or else ' +
    'the body. Compliant if no finding reaches the threshold: the strictest of those set by the org, the ' +
    'template, and `fails_at` (default: `error`). Critical and high severities are errors, medium ones warnings, ' +
    `low ones notes. ${BINDING}`,
});

export const attestSonar = attest('attestSonar', 'sonar', SonarAttestation, {
  summary: 'Report a quality gate',
  description: `Compliant if the status of the quality gate is OK. ${BINDING}`,
});

export const attestJira = attest('attestJira', 'jira', JiraAttestation, {
  summary: 'Report issue references',
  description: `Compliant if there is at least one reference and all referenced issues exist. ${BINDING}`,
});

export const attestPullRequest = attest('attestPullRequest', 'pull_request', PullRequestAttestation, {
  summary: 'Report pull requests',
  description: `Compliant if there is at least one pull request; policies judge who approved it. ${BINDING}`,
});

export const attestCustom = attest('attestCustom', 'custom', CustomAttestation, {
  summary: 'Report data of a custom type',
  description: `Data that does not match the schema of the type is rejected; compliant if every rule yields true. ${BINDING}`,
});

const DECISION = {
  summary: 'Report a decision on a control',
  description: `The caller decides whether a control is satisfied. ${BINDING}`,
};

export const attestDecision = attest('attestDecision', 'decision', DecisionAttestation, DECISION);

export const attestSystem = attest('attestSystem', 'system', DecisionAttestation, {
  summary: 'Report a decision on a control (compatibility path)',
  description: 'Alias of the path that ends in `decision`.',
});

export const attestOverride = attest('attestOverride', 'override', OverrideAttestation, {
  summary: 'Override the verdict of an attestation, with a reason',
  description:
    'An override applies to one report only. Without `attestation_id`, that is the newest report of the name, ' +
    'type, and target. Answers 409 and records nothing if a newer report has arrived: review that report and ' +
    'override it. Both attestations stay visible, and a later report counts again.',
  conflicts: true,
});

export const attestSbom = attest('attestSbom', 'sbom', SbomAttestation, {
  summary: 'Report an SBOM',
  description:
    'The attached CycloneDX (JSON, XML) or SPDX (JSON) document is read, and its components are ' +
    `indexed for search. ${BINDING}`,
});

export const attestInToto = attest('attestInToto', 'in_toto', InTotoAttestation, {
  summary: 'Report a signed statement',
  description:
    'The attached file has one DSSE envelope or Sigstore bundle, or up to 100, one on each line or as a list. At ' +
    'least one must be about the fingerprint. Compliant if all statements about it were signed by keys or identities ' +
    'that the org trusts, and none of them says that a verification FAILED. `evaluation.statements` has what they say.',
});

export const attestVex = attest('attestVex', 'vex', VexAttestation, {
  summary: 'Report a VEX document',
  description:
    'The attached OpenVEX, CycloneDX, or CSAF document says which vulnerabilities do not affect the artifact. Rules on ' +
    'findings leave those out that it says are fixed, or do not affect the artifact for a stated reason, if they trust ' +
    `the origin of the document. Always compliant. ${BINDING}`,
});

export const AttestationOutcome = z
  .enum([
    'passed',
    'failed',
    'no_tests',
    'signature_verified',
    'signer_unknown',
    'signature_unmatched',
    'signature_invalid',
    'certificate_invalid',
    'timestamp_missing',
    'timestamp_invalid',
    'log_entry_missing',
    'log_entry_invalid',
    'material_unreadable',
    'trusted_root_invalid',
  ])
  .meta({
    id: 'AttestationOutcome',
    description:
      'Reason code of the result. Signed statements: `signature_verified`; `signer_unknown` (the signer is not ' +
      'trusted); `signature_unmatched` (no trusted key verifies the signature, and it names none: either the ' +
      'signer is unknown or the envelope was changed); `signature_invalid` (it names a trusted signer and does ' +
      'not verify); the others name the part of a Sigstore bundle that is missing or invalid. `no_tests`: a test ' +
      'report in which no test ran. Otherwise `passed` or `failed`.',
  });
export type AttestationOutcome = z.infer<typeof AttestationOutcome>;

const RecordedBy = z
  .object({
    kind: z
      .enum(['user', 'service_account', 'workload'])
      .meta({ description: 'A workload is a job with a key that was made for it' }),
    id: z.string().meta({ description: 'Of a workload that of its service account' }),
    name: z.string(),
    role: Role,
    aliases: z.array(z.string()).optional().meta({ description: 'Of a person: display name and email addresses' }),
    groups: z.array(z.string()).optional().meta({ description: 'Of a person: groups of the identity provider' }),
  })
  .meta({ id: 'RecordedBy' });

export const Attestation = z
  .object({
    attestation_id: z.string(),
    attestation_name: z.string(),
    attestation_type: z.string(),
    is_compliant: z.boolean(),
    outcome: AttestationOutcome,
    reasons: z.array(z.string()).meta({ description: 'Reasons for non-compliance' }),
    trust: z
      .enum(['claimed', 'api_key', 'workload_identity', 'signature'])
      .meta({ description: 'How the reporter was verified, weakest first' }),
    workload: Workload.nullable().meta({ description: 'Verified claims about the CI job that reported it' }),
    org: z.string(),
    flow_name: z.string(),
    trail_name: z.string(),
    artifact_fingerprint: z.string().nullable(),
    target_artifacts: z.array(z.string()),
    git_commit_info: GitCommitInfo.nullable(),
    repo_info: RepoInfo.nullable(),
    description: z.string(),
    annotations: z.record(z.string(), z.unknown()),
    external_urls: z.record(z.string(), z.unknown()),
    origin_url: z.string().nullable(),
    user_data: z.unknown(),
    attestation_data: z.unknown().meta({ description: 'Type-specific fields' }),
    evaluation: z.unknown().meta({
      description: 'What the server read from the attachment, or the results of the rules of the type; otherwise null',
    }),
    type_version: z.number().int().nullable(),
    control: z.string().nullable(),
    overrides: z.string().nullable().meta({ description: 'Id of the attestation whose verdict this one replaces' }),
    override_reason: z.string().nullable(),
    judged_by: z.record(z.string(), z.string()).meta({ description: 'Versions of the components that judged it' }),
    content_sha256: z.string().nullable().meta({ description: 'Null once the content is erased' }),
    erased: z
      .object({ at: EpochSeconds, by: z.string(), reason: z.string() })
      .nullable()
      .meta({
        description:
          'Set once the content and the attachment were erased: both are gone, with the reasons, everything read from ' +
          'them, and the claims about the CI job. The verdict, the times, and the place of the attestation stay.',
      }),
    evidence_archive_fingerprint: z.string().nullable(),
    evidence_archive_path: z.string().nullable(),
    evidence_archive_size: z.number().nullable(),
    has_audit_package: z.boolean(),
    created_at: EpochSeconds,
    claimed_at: EpochSeconds.nullable(),
    late: z.boolean().meta({ description: 'Received more than five minutes after the claimed time' }),
    reported_by: z.string(),
    recorded_by: RecordedBy.nullable().meta({
      description:
        'The identity that recorded it, as it was then; null for attestations from before it was recorded, and once ' +
        'the content is erased',
    }),
    unreadable: Unreadable,
    html_url: z.string(),
    _links: Links,
  })
  .meta({ id: 'Attestation' });
export type Attestation = z.infer<typeof Attestation>;

const CursorPage = z
  .object({
    data: z.array(Attestation),
    pagination: z.object({ per_page: z.number().int(), next: z.string().nullable() }),
  })
  .meta({ id: 'AttestationPage' });

const Times = {
  from_timestamp: z.coerce.number().min(0).max(4_102_444_800).optional(),
  to_timestamp: z.coerce.number().min(0).max(4_102_444_800).optional(),
};

/** As in `packages/attestation-kinds`: what is published has no dependency of ours. */
export const ATTESTATION_KINDS = [
  'generic',
  'junit',
  'snyk',
  'sonar',
  'jira',
  'pull_request',
  'decision',
  'override',
  'sbom',
  'in_toto',
  'vex',
] as const;

const TypeFilter = z
  .string()
  .max(300)
  .regex(
    new RegExp(`^(${ATTESTATION_KINDS.join('|')}|custom|custom:[a-zA-Z0-9][a-zA-Z0-9\\-_~]*)$`),
    `must be one of ${ATTESTATION_KINDS.join(', ')}, custom or custom:<name>`,
  )
  .meta({ examples: ['decision'] });

export const listAttestations = contract({
  id: 'listAttestations',
  summary: 'List the attestations of an org, newest first',
  tag: 'Attestations',
  method: 'GET',
  path: '/attestations/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    attestation_id: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'Only this attestation; `data` is empty if it does not exist' }),
    name: AttestationName.optional(),
    name_regex: text(255)
      .optional()
      .meta({
        description:
          'RE2 pattern, searched in the name; anchor it if needed. 400 if it compiles to more than 200 steps or the ' +
          'org uses more than 25,000 names',
      }),
    flow: repeated(FlowName, 50),
    type: repeated(TypeFilter, 20).meta({
      description: 'Repeat to match any of several types; `custom` matches all custom types',
    }),
    is_compliant: z.enum(['true', 'false']).optional(),
    ...Times,
    after: z.string().max(1024).optional().meta({ description: 'Cursor from `pagination.next`' }),
    per_page: PerPage(100),
  }),
  status: 200,
  reply: CursorPage,
  errors: [400, 401, 403, 404, 429, 503],
});

export const listFlowAttestations = contract({
  id: 'listFlowAttestations',
  summary: 'List the attestations of a flow, newest first',
  tag: 'Attestations',
  method: 'GET',
  path: '/attestations/:org/:flow_name',
  access: 'read',
  params: FlowParams,
  query: z.strictObject({ page: Page.optional(), per_page: PerPage(100), ...Times }),
  status: 200,
  reply: z.array(Attestation),
  errors: [400, 401, 403, 404, 429, 503],
});

/** Of lists that are plain arrays; the rest is behind a link. */
const After = z.strictObject({
  after: z.string().max(1024).optional().meta({ description: 'Cursor from a `Link` header' }),
});

export const listTrailAttestations = contract({
  id: 'listTrailAttestations',
  summary: 'List the attestations of a trail by name, newest first',
  description: 'At most 1,000; a `Link` header with `rel="next"` points to the rest.',
  tag: 'Attestations',
  method: 'GET',
  path: '/attestations/:org/:flow_name/trail/:trail_name/:attestation_name',
  access: 'read',
  params: z.strictObject({ ...TrailParams.shape, attestation_name: AttestationName }),
  query: After,
  status: 200,
  reply: z.array(Attestation),
  errors: [400, 401, 403, 404, 429, 503],
});

export const listArtifactAttestations = contract({
  id: 'listArtifactAttestations',
  summary: 'List the attestations of an artifact by name, newest first',
  description:
    'Matched by fingerprint, or by name in the template and commit. At most 1,000; a `Link` header points to the ' +
    'rest.',
  tag: 'Attestations',
  method: 'GET',
  path: '/attestations/:org/:flow_name/artifact/:fingerprint/:attestation_name',
  access: 'read',
  params: z.strictObject({
    org: OrgName,
    flow_name: FlowName,
    fingerprint: FingerprintPrefix,
    attestation_name: AttestationName,
  }),
  query: After,
  status: 200,
  reply: z.array(Attestation),
  errors: [400, 401, 403, 404, 429, 503],
});

export const listAttestationsForCriteria = contract({
  id: 'listAttestationsForCriteria',
  summary: 'List the attestations of a flow for several commits, newest first',
  description: 'At most 1,000; a `Link` header with `rel="next"` points to the rest.',
  tag: 'Attestations',
  method: 'GET',
  path: '/attestations/:org/list_attestations_for_criteria',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    flow_name: FlowName.optional(),
    commit_list: z
      .union([CommitSha, z.array(CommitSha).max(100)], 'must be commits of 40 digits, at most 100')
      .meta({ examples: ['b'.repeat(40)] }),
    attestation_name: AttestationName.optional(),
    attestation_type: TypeFilter.optional(),
    ...After.shape,
  }),
  status: 200,
  reply: z.array(Attestation),
  errors: [400, 401, 403, 404, 429, 503],
});

const EvidenceParams = z.strictObject({
  org: OrgName,
  flow_name: FlowName,
  trail_name: TrailName,
  attestation_id: z.uuid('must be the id of an attestation').meta({ description: 'Id of the attestation' }),
});

export const downloadEvidence = contract({
  id: 'downloadEvidence',
  summary: 'Download the file attached to an attestation',
  tag: 'Attestations',
  method: 'GET',
  path: '/attestations/:org/:flow_name/trail/:trail_name/attestation/:attestation_id/evidence',
  access: 'read',
  params: EvidenceParams,
  status: 200,
  reply: BinaryReply,
  replyType: 'application/octet-stream',
  errors: [400, 401, 403, 404, 429, 503],
});

export const getAttestationPackage = contract({
  id: 'getAttestationPackage',
  summary: 'Export an attestation as an audit package',
  description:
    'A `.tgz` with a readable page, the records as JSON, the attachments, and the proofs that the records are in the ' +
    'ledger. `waymark verify` proves it offline. Waits up to 5 seconds for entries that are not sealed yet, and names ' +
    'in `manifest.json` what is not proven.',
  tag: 'Attestations',
  method: 'GET',
  path: '/attestations/:org/:flow_name/trail/:trail_name/attestation/:attestation_id/audit_package',
  access: 'read',
  params: EvidenceParams,
  status: 200,
  reply: BinaryReply,
  replyType: 'application/gzip',
  errors: [400, 401, 403, 404, 429, 503],
});
