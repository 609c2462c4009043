import type { Attestation } from '@waymark/contract';
import { z } from 'zod';

/**
 * The content of evidence by kind. Clients sent it, so each part is validated before it is shown: a part of another
 * shape counts as absent. What the server read from the attached file takes precedence over what was sent beside it.
 */

type Evidence = Pick<Attestation, 'attestation_data' | 'evaluation'>;

function readAs<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | undefined {
  return schema.safeParse(value).data;
}

const Count = z.number().catch(0);
const Text = z.string().catch('');

const Suite = z.object({
  name: Text,
  total: Count,
  failures: Count,
  errors: Count,
  skipped: Count,
  duration: Count,
});
const FailedTest = z.object({ suite: Text, test: Text, message: Text });

export interface Tests {
  readonly suites: readonly z.output<typeof Suite>[];
  /** The first hundred; none when the file itself was not attached. */
  readonly failed: readonly z.output<typeof FailedTest>[];
  readonly total: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
  readonly passed: number;
}

export function testsOf({ evaluation, attestation_data }: Evidence): Tests | undefined {
  const read = readAs(z.object({ suites: z.array(Suite), failed: z.array(FailedTest).catch([]) }), evaluation);
  const sent = readAs(z.object({ junit_results: z.array(Suite) }), attestation_data);
  const suites = read?.suites ?? sent?.junit_results;
  if (!suites) return undefined;
  const sum = (key: 'total' | 'failures' | 'errors' | 'skipped') => suites.reduce((all, suite) => all + suite[key], 0);
  const counts = { total: sum('total'), failures: sum('failures'), errors: sum('errors'), skipped: sum('skipped') };
  const passed = Math.max(0, counts.total - counts.failures - counts.errors - counts.skipped);
  return { suites, failed: read?.failed ?? [], ...counts, passed };
}

export const LEVELS = ['error', 'warning', 'note'] as const;
export type Level = (typeof LEVELS)[number];

export interface Finding {
  readonly id: string;
  readonly level: Level;
  readonly message: string;
  readonly location: string | null;
}

export interface Findings {
  readonly tool: string;
  readonly counts: Readonly<Record<Level, number>>;
  readonly total: number;
  readonly findings: readonly Finding[];
  /** At which level it fails, and who set that. */
  readonly threshold: { readonly fails_at: Level; readonly set_by: string } | null;
}

const Tool = z.object({ name: Text, version: Text }).catch({ name: '', version: '' });
const Threshold = z.object({ fails_at: z.enum(LEVELS), set_by: Text });
const ReadFinding = z.object({
  id: Text,
  level: z.enum(LEVELS).catch('note'),
  message: Text,
  location: z.string().nullable().catch(null),
});
const ReadFindings = z.object({
  tool: Tool,
  errors: z.number(),
  warnings: z.number(),
  notes: z.number(),
  findings: z.array(ReadFinding).catch([]),
  threshold: Threshold.nullable().catch(null),
});

const Listed = z.array(z.object({ id: Text, message: Text })).catch([]);
const SentFindings = z.object({
  snyk_results: z.object({
    tool: Tool,
    results: z.array(z.object({ critical: Listed, high: Listed, medium: Listed, low: Listed })),
  }),
});

const LEVEL_OF = { critical: 'error', high: 'error', medium: 'warning', low: 'note' } as const;
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** The server's counts; the findings themselves are in the file, or were sent with their counts. */
export function findingsOf({ evaluation, attestation_data }: Evidence): Findings | undefined {
  const read = readAs(ReadFindings, evaluation);
  if (!read) return undefined;
  const counts = { error: read.errors, warning: read.warnings, note: read.notes };
  const sent = readAs(SentFindings, attestation_data)?.snyk_results;
  const listed = SEVERITIES.flatMap((severity) =>
    (sent?.results ?? []).flatMap((result) =>
      result[severity].map((finding) => ({ ...finding, level: LEVEL_OF[severity], location: null })),
    ),
  );
  return {
    tool: toolName(sent && read.tool.name === '' ? sent.tool : read.tool),
    counts,
    total: totalOf(counts),
    findings: read.findings.length > 0 ? read.findings : listed,
    threshold: read.threshold,
  };
}

function toolName({ name, version }: { name: string; version: string }): string {
  return [name, version].filter((part) => part !== '').join(' ');
}

function totalOf(counts: Readonly<Record<Level, number>>): number {
  return LEVELS.reduce((all, level) => all + counts[level], 0);
}

const Sonar = z.object({
  sonar_results: z.object({
    qualityGate: z
      .object({
        status: Text,
        conditions: z
          .array(
            z.object({
              metric: z.string().optional().catch(undefined),
              metricKey: z.string().optional().catch(undefined),
              status: Text,
              value: z.coerce.string().catch(''),
              errorThreshold: z.coerce.string().catch(''),
              operator: Text,
            }),
          )
          .catch([]),
      })
      .nullish()
      .catch(null),
    project: z
      .object({ key: Text, url: z.string().nullish().catch(null) })
      .nullish()
      .catch(null),
    revision: z.string().nullish().catch(null),
    branch: z.object({ name: Text }).nullish().catch(null),
    analysedAt: z.unknown(),
  }),
});

export function sonarOf({ attestation_data }: Evidence) {
  return readAs(Sonar, attestation_data)?.sonar_results;
}

const Issue = z.object({
  issue_id: Text,
  issue_url: z.string().nullish().catch(null),
  issue_exists: z.boolean().catch(false),
  issue_fields: z.record(z.string(), z.unknown()).nullish().catch(null),
});
export type Issue = z.output<typeof Issue>;

export function issuesOf({ attestation_data }: Evidence): readonly Issue[] | undefined {
  return readAs(z.object({ jira_results: z.array(Issue) }), attestation_data)?.jira_results;
}

const Person = z.union([
  z.string(),
  z.object({ username: z.string(), state: z.string().nullish(), timestamp: z.number().nullish() }),
]);
const PullRequest = z.object({
  url: Text,
  state: Text,
  merge_commit: z.string().nullish().catch(null),
  author: z.string().nullish().catch(null),
  title: z.string().nullish().catch(null),
  approvers: z.array(Person).nullish().catch(null),
  reviews: z
    .array(z.object({ username: Text, state: Text, timestamp: z.number().nullish().catch(null) }))
    .nullish()
    .catch(null),
  commits: z
    .array(
      z.object({
        sha1: Text,
        author: z.string().nullish().catch(null),
        author_username: z.string().nullish().catch(null),
        message: z.string().nullish().catch(null),
      }),
    )
    .nullish()
    .catch(null),
  created_at: z.number().nullish().catch(null),
  merged_at: z.number().nullish().catch(null),
  head_ref: z.string().nullish().catch(null),
  base_ref: z.string().nullish().catch(null),
});
export type PullRequest = z.output<typeof PullRequest>;

export function pullRequestsOf({ attestation_data }: Evidence): readonly PullRequest[] | undefined {
  return readAs(z.object({ pull_requests: z.array(PullRequest) }), attestation_data)?.pull_requests;
}

const Sbom = z.object({ format: Text, specVersion: Text, component_count: Count });

export function sbomOf({ evaluation }: Evidence) {
  return readAs(Sbom, evaluation);
}

const VexStatement = z.object({
  names: z.array(z.string()).catch([]),
  status: Text,
  components: z.array(z.string()).nullish().catch(null),
  justification: z.string().nullish().catch(null),
  at: z.number().nullish().catch(null),
});

const Vex = z.object({
  format: Text,
  author: Text,
  statement_count: z.number(),
  other_statements: Count,
  statements: z.array(VexStatement).catch([]),
});

/** Of a VEX document, or of one in a signed statement. */
export function vexOf({ evaluation }: Evidence) {
  return readAs(Vex, evaluation) ?? readAs(z.object({ vex: Vex }), evaluation)?.vex;
}

const Signer = z.object({ kind: Text, id: Text, name: Text });

const Source = z.object({ repository: Text.optional(), ref: Text.optional(), commit: Text.optional() });

const ReadStatement = z.object({
  predicate_type: Text,
  about: Text,
  outcome: Text,
  signers: z.array(Signer.extend({ identity: Text.optional(), issuer: Text.optional() })).catch([]),
  subjects: z.array(z.object({ name: Text, digests: z.record(z.string(), z.string()) })).catch([]),
  subject_count: Count,
  builder: Text.optional(),
  build_type: Text.optional(),
  invocation: Text.optional(),
  source: Source.optional().catch(undefined),
  materials: z
    .array(z.object({ uri: Text.optional(), digest: Text.optional() }))
    .optional()
    .catch(undefined),
  material_count: Count.optional(),
  parameters: Text.optional(),
  result: Text.optional(),
  verifier: Text.optional(),
  policy_uri: Text.optional(),
  resource_uri: Text.optional(),
  verified_levels: z.array(Text).optional().catch(undefined),
  properties: z.array(Text).optional().catch(undefined),
  sbom: z.object({ format: Text, spec_version: Text, component_count: Count }).optional().catch(undefined),
  vex: z.object({ format: Text, statement_count: Count }).optional().catch(undefined),
});
export type ReadStatement = z.output<typeof ReadStatement>;

const Statement = z.object({
  statement: z.object({
    predicateType: Text,
    subjects: z.array(z.object({ name: Text, sha256: Text })).catch([]),
  }),
  signed_by: Signer.nullable().catch(null),
  claimed_signer: Signer.nullable().catch(null),
  /** Absent in evidence that an earlier version recorded. */
  statements: z.array(ReadStatement).catch([]),
  other_statements: Count.catch(0),
});

export function statementOf({ evaluation }: Evidence) {
  return readAs(Statement, evaluation);
}

const Judged = z.object({
  summary: z.array(z.object({ name: Text, value: z.unknown() })).catch([]),
  rules: z.array(z.object({ rule: Text, passed: z.boolean().catch(false), because: Text })).catch([]),
});

export function customOf({ evaluation }: Evidence) {
  return readAs(Judged, evaluation);
}
