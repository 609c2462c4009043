import { z } from 'zod';
import { BinaryReply, contract } from './contract.ts';
import { EnvironmentParams, EnvironmentType } from './environments.ts';
import { OrgParams, PerPage, repeated } from './evidence.ts';
import { EpochSeconds, Page, QueryTime, text, Unreadable } from './primitives.ts';
import { IncomplianceReason, PolicyEvaluation } from './verdicts.ts';

const Count = z.number().int();

export const RunCompliance = z.enum(['compliant', 'non-compliant', 'unknown', 'waived']);

export const SnapshotExpression = text(100).meta({
  description:
    '`N` or `#N` (negative counts from the latest, -1), `~N` (N before the latest), `@{2026-11-01T12:00:00}`, ' +
    '`@{3.days.ago}` (hours, days, weeks, months), or `@{now}`; times are UTC',
  examples: ['-1'],
});

const DeploymentDiff = z
  .object({
    diff_url: z.string().meta({ description: 'URL of the commits between the two; empty if unknown' }),
    previous_git_commit: z.string(),
    previous_git_commit_url: z.string(),
    previous_fingerprint: z.string(),
    previous_artifact_name: z.string(),
    previous_artifact_compliance_state: z.string(),
    previous_running: z.boolean().meta({ description: 'Whether it is still running, next to this one' }),
    previous_trail_name: z.string(),
    previous_template_reference_name: z.string(),
  })
  .meta({ id: 'DeploymentDiff', description: 'The artifact that it replaced' });
export type DeploymentDiff = z.infer<typeof DeploymentDiff>;

const CommitInfo = z.object({
  sha1: z.string(),
  message: z.string(),
  author: z.string(),
  branch: z.string(),
  timestamp: z.number().nullable(),
  url: z.string(),
});

const SnapshotFlow = z
  .object({
    flow_name: z.string(),
    trail_name: z.string(),
    template_reference_name: z
      .string()
      .nullable()
      .meta({ description: 'Name of the artifact in the template of the trail' }),
    git_commit: z.string(),
    commit_url: z.string(),
    git_commit_info: CommitInfo.nullable(),
    reported_as: z
      .object({ fingerprint: z.string(), platform: z.string().nullable() })
      .nullable()
      .meta({
        description:
          'Set if the report is about the image index that lists this image, or about a platform image of this ' +
          'index; `platform` is null if the report does not name it',
      }),
    html_url: z.string(),
    flow_html_url: z.string(),
    deployment_diff: DeploymentDiff.nullable(),
    commit_lead_time: z.number().nullable().meta({ description: 'Seconds from the commit to the start' }),
    artifact_compliance_in_flow: z.boolean().meta({ description: 'False if unknown; see `compliance`' }),
    compliance: RunCompliance,
    flow_reasons_for_non_compliance: z.array(
      z.object({
        flow_name: z.string(),
        trail_name: z.string(),
        status: z.string(),
        message: z.string(),
        fix: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'SnapshotFlow' });
export type SnapshotFlow = z.infer<typeof SnapshotFlow>;

const Pod = z.object({
  namespace: z.string(),
  creationTimestamp: Count,
  owners: z.array(z.record(z.string(), z.unknown())),
});

export const annotationTypes = [
  'unchanged',
  'started-compliant',
  'started-non-compliant',
  'started-unknown',
  'became-compliant',
  'became-non-compliant',
  'updated-provenance',
  'exited',
] as const;
export type AnnotationType = (typeof annotationTypes)[number];

const SnapshotArtifact = z
  .object({
    name: z.string(),
    fingerprint: z.string().meta({ description: 'Empty if the running artifact is not identified' }),
    creationTimestamp: z.array(Count).meta({ description: 'When its instances started, in seconds since 1970' }),
    annotation: z
      .object({ type: z.enum(annotationTypes), was: Count, now: Count })
      .meta({ description: 'Change in this snapshot, and the number of instances before and after' }),
    compliant: z.boolean().meta({ description: 'False if unknown; see `compliance`' }),
    compliance: RunCompliance,
    unreadable: Unreadable,
    flow_name: z.string().meta({ description: 'Flow that reported it last; empty without provenance' }),
    git_commit: z.string(),
    commit_url: z.string(),
    html_url: z.string(),
    flow_html_url: z.string(),
    flows: z.array(SnapshotFlow).meta({ description: 'Flows that reported it; empty without provenance' }),
    deployments: z.array(Count).meta({ description: 'Snapshots in which this artifact started here' }),
    deployment_diff: DeploymentDiff.nullable(),
    commit_lead_time: z.number().nullable().meta({ description: 'Seconds from the commit to the start' }),
    policy_decisions: z
      .array(PolicyEvaluation)
      .meta({ description: 'Decisions of the policies in `applied_policies`, in the same order' }),
    reasons_for_incompliance: z
      .array(IncomplianceReason)
      .meta({ description: 'Reasons for non-compliance; also present if waived' }),
    allow_listing: z
      .object({
        allowlist_id: z.string(),
        allowed_by_user_id: z.string(),
        timestamp: EpochSeconds,
        description: z.string(),
        expires_at: EpochSeconds.nullable(),
      })
      .nullable()
      .meta({ description: 'The waiver that applies if `compliance` is `waived`' }),
    pods: z
      .record(z.string(), Pod)
      .nullable()
      .meta({ description: 'Kubernetes only: its pods by name; null elsewhere' }),
    container_task_context: z
      .object({ task_arn: z.string(), cluster_name: z.string().nullable(), service_name: z.string().nullable() })
      .nullable()
      .meta({ description: 'ECS only: the task; null elsewhere' }),
    serverless_run_context: z
      .object({
        kind: z.string().nullable(),
        revision_name: z.string().nullable(),
        service_name: z.string().nullable(),
        job_name: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'Cloud Run only: the service or job; null elsewhere' }),
    app_context: z
      .object({ app_name: z.string(), app_kind: z.string(), digests_source: z.string() })
      .nullable()
      .meta({ description: 'Web and function apps only: the app; null elsewhere' }),
  })
  .meta({ id: 'SnapshotArtifact' });
export type SnapshotArtifact = z.infer<typeof SnapshotArtifact>;

/** Spec 2.6. */
export const Snapshot = z
  .object({
    index: Count,
    is_latest: z.boolean(),
    timestamp: EpochSeconds,
    next_snapshot_timestamp: EpochSeconds.nullable().meta({
      description: 'When the next snapshot was created; null for the latest',
    }),
    type: EnvironmentType,
    trigger: z.string().meta({
      description:
        'What caused it: a `report`, or later `provenance`, `evidence`, a `policy`, the `allow-list` (a waiver), ' +
        'a name or tag that a policy reads (`context`), or evidence that became too old (`time`)',
    }),
    compliant: z.boolean().meta({ description: 'False if unknown; see `compliance`' }),
    compliance: z.enum(['compliant', 'non-compliant', 'unknown']),
    unreadable: Unreadable,
    artifact_compliance_count: z
      .object({ true: Count, false: Count, null: Count })
      .meta({ description: 'Number of compliant, non-compliant, and unjudged artifacts' }),
    applied_policies: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          version: z.number().int(),
          policy_dump: z.record(z.string(), z.unknown()).meta({ description: 'Requirements of the policy' }),
          failing_artifacts: z
            .array(z.string())
            .meta({ description: 'Fingerprints of the running artifacts that fail it' }),
        }),
      )
      .meta({ description: 'Policies that judged it, in the versions of that time' }),
    artifacts: z.array(SnapshotArtifact),
    html_url: z.string(),
  })
  .meta({ id: 'Snapshot' });
export type Snapshot = z.infer<typeof Snapshot>;

export const getSnapshot = contract({
  id: 'getSnapshot',
  summary: 'Get a snapshot of an environment, by number or time',
  description:
    'Artifacts that exited are shown in the snapshot in which they exited, with `annotation.now` 0. A logical ' +
    'environment has no snapshots of its own: the response is 400 with its members. Send the `ETag` of an earlier ' +
    'response as `If-None-Match` to get 304 while it is unchanged; the response changes if the environment or a ' +
    'flow is renamed, and for the latest snapshot whenever its artifacts change.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/snapshots/:org/:env_name/:snapshot_expression',
  access: 'read',
  params: EnvironmentParams.extend({ snapshot_expression: SnapshotExpression }),
  conditional: true,
  status: 200,
  reply: Snapshot,
  errors: [400, 401, 403, 404, 429, 503],
});

const Interval = text(100)
  .optional()
  .meta({
    description:
      '`A..B` with `N`, `-N`, `~N`, or `NOW` on either side; either side can be omitted; `A` means `A..A`; empty ' +
      'means all',
    examples: ['1..NOW'],
  });
const Reverse = z.enum(['true', 'false', '']).optional().meta({ description: '`true` for oldest first' });

export const SnapshotSummary = z
  .object({
    index: Count,
    from: EpochSeconds.meta({ description: 'When it was created' }),
    to: EpochSeconds.meta({ description: 'When the next one was created; 0 for the latest' }),
    duration: z.number().meta({ description: 'Duration in seconds; for the latest, until now' }),
    compliant: z.boolean().meta({ description: 'False if unknown; see `compliance`' }),
    compliance: z.enum(['compliant', 'non-compliant', 'unknown']),
    trigger: z.string().meta({
      description:
        'What caused it: a `report`, or later `provenance`, `evidence`, a `policy`, the `allow-list` (a waiver), ' +
        'a name or tag that a policy reads (`context`), or evidence that became too old (`time`)',
    }),
    artifact_count: Count.meta({ description: 'Number of running artifacts, by name and fingerprint' }),
  })
  .meta({ id: 'SnapshotSummary' });

export const listSnapshots = contract({
  id: 'listSnapshots',
  summary: 'List the snapshots of an environment, newest first',
  description:
    'A page after the last one is empty. A logical environment has no snapshots: the response is 400 ' +
    'with its members.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/snapshots/:org/:env_name',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    page: Page.optional().meta({ description: 'Default: 1' }),
    per_page: PerPage(100).meta({ description: 'Snapshots per page. Default: 15' }),
    interval: Interval,
    reverse: Reverse,
  }),
  status: 200,
  reply: z.array(SnapshotSummary),
  errors: [400, 401, 403, 404, 429, 503],
});

const DiffArtifact = z.object({
  fingerprint: z.string().meta({ description: 'Empty if the running artifact is not identified' }),
  name: z.string(),
  previous_name: z.string().nullable().meta({ description: 'Its name in `snappish1`, if it was different there' }),
  flow: z.string().meta({ description: 'Flow that reported it last; empty without provenance' }),
  commit_url: z.string(),
  most_recent_timestamp: Count.nullable().meta({ description: 'When its youngest instance started' }),
  instance_count: Count.nullable().meta({
    description: 'Number of instances; null in `changed`, which has two counts',
  }),
  s1_instance_count: Count.nullable().meta({
    description: 'Instances in `snappish1`; null if it did not run there, or nothing changed',
  }),
  s2_instance_count: Count.nullable().meta({
    description: 'Instances in `snappish2`; null if it does not run there, or nothing changed',
  }),
  pods: z.array(z.string()).meta({ description: 'Names of the pods it runs in' }),
});
export type DiffArtifact = z.infer<typeof DiffArtifact>;

const DiffPart = z.object({
  snapshot_id: z.string().nullable().meta({ description: 'Such as `prod#7`; null where both are meant' }),
  artifacts: z.array(DiffArtifact),
});

const snappish = (example: string) =>
  text(400).meta({
    description: 'An environment with an expression: `prod`, `prod#7`, `prod~1`, `prod@{2.days.ago}`',
    examples: [example],
  });

export const diffSnapshots = contract({
  id: 'diffSnapshots',
  summary: 'Compare two snapshots, of one environment or of two',
  description:
    'Artifacts are the same if their fingerprints are; unidentified ones, if their names are. `snappish1` and ' +
    '`snappish2` list what runs in only one of them, `changed` what runs in both with different instance counts ' +
    'or names.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/env-diff/:org',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({ snappish1: snappish('prod~1'), snappish2: snappish('prod') }),
  status: 200,
  reply: z
    .object({ snappish1: DiffPart, snappish2: DiffPart, changed: DiffPart, 'not-changed': DiffPart })
    .meta({ id: 'SnapshotDiff' }),
  errors: [400, 401, 403, 404, 429, 503],
});

export const eventTypes = ['started', 'exited', 'changed'] as const;

const EnvironmentEvent = z
  .object({
    environment_name: z.string(),
    snapshot_index: Count,
    type: z.enum(['started', 'exited', 'changed', 'updated-provenance']),
    artifact_name: z.string(),
    sha256: z.string().meta({ description: 'Its fingerprint; empty if unknown' }),
    description: z.string().meta({ description: 'Summary of the event' }),
    reported_at: EpochSeconds,
    pipeline: z.string().meta({ description: 'The flow (deprecated name)' }),
    flows: z.array(z.object({ flow_name: z.string(), deployments: z.array(Count) })),
    deployments: z.array(Count).meta({ description: 'Snapshots in which this artifact started here' }),
    artifact_compliance: z.boolean().nullable().meta({ description: 'Null if unknown' }),
    snapshot_compliance: z.boolean().nullable().meta({ description: 'Null if unknown' }),
    code_diff: z
      .string()
      .meta({ description: 'URL of the commits since the artifact that it replaced; empty if unknown' }),
    _links: z.record(z.string(), z.object({ href: z.string() })),
  })
  .meta({ id: 'EnvironmentEvent' });
export type EnvironmentEvent = z.infer<typeof EnvironmentEvent>;

const BOUND_FORMS =
  'a snapshot index (negative counts from the latest), `NOW`, or a duration before now: `1h`, `2days`, `30mins`';
const EventBound = text(50).meta({ examples: ['2days'] });
export const listEnvironmentEvents = contract({
  id: 'listEnvironmentEvents',
  summary: 'List the events of an environment, newest first',
  description:
    'For a logical environment, returns the events of its members, sorted by time. `start_ts` and `end_ts` take ' +
    'precedence over `start` and `end`, which take precedence over `interval`.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/environments/:org/:env_name/events',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    page: Page.optional().meta({ description: 'Default: 1' }),
    per_page: PerPage(100).meta({ description: 'Events per page. Default: 15' }),
    interval: Interval,
    reverse: Reverse,
    repo_name: repeated(text(1000), 20).meta({ description: 'Filter by repository; repeat to match any of several' }),
    start: EventBound.optional().meta({ description: `Only events at or after this point: ${BOUND_FORMS}` }),
    end: EventBound.optional().meta({ description: `Only events at or before this point: ${BOUND_FORMS}` }),
    start_ts: QueryTime.optional().meta({ description: 'Only events at or after this time, in seconds since 1970' }),
    end_ts: QueryTime.optional().meta({ description: 'Only events at or before this time, in seconds since 1970' }),
    from: QueryTime.optional().meta({ description: 'Alias of `start_ts`' }),
    to: QueryTime.optional().meta({ description: 'Alias of `end_ts`' }),
  }),
  status: 200,
  reply: z.array(EnvironmentEvent),
  replyHeaders: {
    'x-total-count': 'Total number of events',
    'x-per-page': 'Events per page',
    'x-current-page': 'Number of this page',
    'x-total-pages': 'Number of pages',
    link: 'Links to the neighboring pages',
  },
  errors: [400, 401, 403, 404, 429, 503],
});

export const getAuditLog = contract({
  id: 'getAuditLog',
  summary: 'Export the audit log of an environment as CSV, oldest first',
  description:
    'One line for each artifact that started, exited, or changed. For a logical environment, exports the events ' +
    'of its members.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/environments/:org/:env_name/auditlog',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    from_timestamp: QueryTime.optional().meta({
      description: 'Only events at or after this time, in seconds since 1970',
    }),
    to_timestamp: QueryTime.optional().meta({
      description: 'Only events at or before this time, in seconds since 1970',
    }),
    event_types: text(100)
      .optional()
      .meta({ description: 'Any of `started`, `exited`, `changed`, separated by commas' }),
    flow_names: text(4_000).optional().meta({
      description:
        'Flow names, separated by commas; `no provenance` selects artifacts that were not reported into a flow',
    }),
    repo_names: text(4_000).optional().meta({ description: 'Repository names, separated by commas' }),
  }),
  status: 200,
  reply: BinaryReply,
  replyType: 'text/csv',
  errors: [400, 401, 403, 404, 429, 503],
});

const snapshotArtifactSorts = ['compliance', 'name', 'started_at', 'flow'] as const;

/** The fields of a snapshot except for its artifacts, with the number of failing ones. */
const SnapshotHead = Snapshot.omit({ artifacts: true, applied_policies: true })
  .extend({
    applied_policies: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          version: z.number().int(),
          policy_dump: z.record(z.string(), z.unknown()).meta({ description: 'Requirements of the policy' }),
          failing_count: Count.meta({ description: 'Number of running artifacts that fail it and are not waived' }),
          waived_count: Count.meta({ description: 'Number of running artifacts that fail it and are waived' }),
        }),
      )
      .meta({ description: 'Policies that judged it, in the versions of that time' }),
  })
  .meta({ id: 'SnapshotHead' });

export const listSnapshotArtifacts = contract({
  id: 'listSnapshotArtifacts',
  summary: 'List the artifacts of a snapshot, in pages',
  description:
    'The `artifacts` of `getSnapshot`, filtered and sorted. Artifacts that exited in this snapshot are included, ' +
    'after all running ones unless sorted otherwise; `compliance` and the counts refer to running artifacts. A ' +
    'page after the last one is empty.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/snapshots/:org/:env_name/:snapshot_expression/artifacts',
  access: 'read',
  params: EnvironmentParams.extend({ snapshot_expression: SnapshotExpression }),
  query: z.strictObject({
    page: Page.optional().meta({ description: 'Default: 1' }),
    per_page: PerPage(100).meta({ description: 'Artifacts per page. Default: 50' }),
    name: text(1000).optional().meta({ description: 'Filter by part of the name, ignoring case' }),
    compliance: repeated(RunCompliance, 4).meta({ description: 'Only running artifacts with any of these verdicts' }),
    flow: text(255).optional().meta({
      description: 'Filter by flow; `no provenance` selects artifacts that were not reported into a flow',
    }),
    sort: z.enum(snapshotArtifactSorts).optional().meta({ description: 'Default: `compliance`, worst first' }),
    sort_direction: z
      .enum(['asc', 'desc'])
      .optional()
      .meta({ description: 'Default: `desc` for `started_at`, `asc` for the others' }),
  }),
  status: 200,
  reply: z
    .object({
      snapshot: SnapshotHead,
      counts: z
        .object({ compliant: Count, 'non-compliant': Count, unknown: Count, waived: Count, exited: Count })
        .meta({
          description: 'For the whole snapshot: number of running artifacts by verdict, and number that exited',
        }),
      page: Count,
      per_page: Count,
      total_count: Count.meta({ description: 'Number of artifacts that match the filters' }),
      artifacts: z.array(SnapshotArtifact),
    })
    .meta({ id: 'SnapshotArtifactPage' }),
  errors: [400, 401, 403, 404, 429, 503],
});
