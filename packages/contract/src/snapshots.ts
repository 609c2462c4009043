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
    '`N` or `#N` (negative from the latest, -1), `~N` (behind the latest), `@{2026-11-01T12:00:00}`, ' +
    '`@{3.days.ago}` (hours, days, weeks, months) or `@{now}`; times are UTC',
  examples: ['-1'],
});

const DeploymentDiff = z
  .object({
    diff_url: z.string().meta({ description: 'Where the commits between the two are shown; empty when not known' }),
    previous_git_commit: z.string(),
    previous_git_commit_url: z.string(),
    previous_fingerprint: z.string(),
    previous_artifact_name: z.string(),
    previous_artifact_compliance_state: z.string(),
    previous_running: z.boolean().meta({ description: 'It runs still, beside this one' }),
    previous_trail_name: z.string(),
    previous_template_reference_name: z.string(),
  })
  .meta({ id: 'DeploymentDiff', description: 'What it took the place of' });
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
    template_reference_name: z.string().nullable().meta({ description: 'What the template of the trail calls it' }),
    git_commit: z.string(),
    commit_url: z.string(),
    git_commit_info: CommitInfo.nullable(),
    reported_as: z
      .object({ fingerprint: z.string(), platform: z.string().nullable() })
      .nullable()
      .meta({
        description:
          'Set when the report is of the image index that lists this image, or of a platform image of this index; ' +
          '`platform` is null when the report does not name it',
      }),
    html_url: z.string(),
    flow_html_url: z.string(),
    deployment_diff: DeploymentDiff.nullable(),
    commit_lead_time: z.number().nullable().meta({ description: 'Seconds from the commit to the start' }),
    artifact_compliance_in_flow: z.boolean().meta({ description: 'False when unknown; `compliance` tells them apart' }),
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
    fingerprint: z.string().meta({ description: 'Empty when it is not known what runs under the name' }),
    creationTimestamp: z.array(Count).meta({ description: 'When its instances started, in seconds since 1970' }),
    annotation: z
      .object({ type: z.enum(annotationTypes), was: Count, now: Count })
      .meta({ description: 'What happened to it in this snapshot, and how many instances there were and are' }),
    compliant: z.boolean().meta({ description: 'False when unknown; `compliance` tells them apart' }),
    compliance: RunCompliance,
    unreadable: Unreadable,
    flow_name: z.string().meta({ description: 'Where it was reported last; empty without provenance' }),
    git_commit: z.string(),
    commit_url: z.string(),
    html_url: z.string(),
    flow_html_url: z.string(),
    flows: z.array(SnapshotFlow).meta({ description: 'Where it was reported; empty without provenance' }),
    deployments: z.array(Count).meta({ description: 'Snapshots in which this artifact started here' }),
    deployment_diff: DeploymentDiff.nullable(),
    commit_lead_time: z.number().nullable().meta({ description: 'Seconds from the commit to the start' }),
    policy_decisions: z
      .array(PolicyEvaluation)
      .meta({ description: 'What each policy of `applied_policies` says of it, in their order' }),
    reasons_for_incompliance: z
      .array(IncomplianceReason)
      .meta({ description: 'Why it is not compliant; told as well of what is let pass' }),
    allow_listing: z
      .object({
        allowlist_id: z.string(),
        allowed_by_user_id: z.string(),
        timestamp: EpochSeconds,
        description: z.string(),
        expires_at: EpochSeconds.nullable(),
      })
      .nullable()
      .meta({ description: 'What let it pass, when `compliance` is `waived`' }),
    pods: z.record(z.string(), Pod).nullable().meta({ description: 'In Kubernetes: its pods by name; null elsewhere' }),
    container_task_context: z
      .object({ task_arn: z.string(), cluster_name: z.string().nullable(), service_name: z.string().nullable() })
      .nullable()
      .meta({ description: 'In ECS: the task; null elsewhere' }),
    serverless_run_context: z
      .object({
        kind: z.string().nullable(),
        revision_name: z.string().nullable(),
        service_name: z.string().nullable(),
        job_name: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'In cloud-run: the service or job; null elsewhere' }),
    app_context: z
      .object({ app_name: z.string(), app_kind: z.string(), digests_source: z.string() })
      .nullable()
      .meta({ description: 'Of web and function apps: the app; null elsewhere' }),
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
      description: 'When it ceased to hold; null for the latest',
    }),
    type: EnvironmentType,
    trigger: z.string().meta({
      description:
        'Why it was made: a `report`, or later `provenance`, `evidence`, a `policy`, the `allow-list`, or a name or tag that a policy reads (`context`)',
    }),
    compliant: z.boolean().meta({ description: 'False when unknown; `compliance` tells them apart' }),
    compliance: z.enum(['compliant', 'non-compliant', 'unknown']),
    unreadable: Unreadable,
    artifact_compliance_count: z
      .object({ true: Count, false: Count, null: Count })
      .meta({ description: 'How many artifacts are compliant, are not, and are not judged' }),
    applied_policies: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          version: z.number().int(),
          policy_dump: z.record(z.string(), z.unknown()).meta({ description: 'What it asks for' }),
          failing_artifacts: z.array(z.string()).meta({ description: 'Fingerprints of what runs and fails it' }),
        }),
      )
      .meta({ description: 'The policies that it was judged by, in the versions of that time' }),
    artifacts: z.array(SnapshotArtifact),
    html_url: z.string(),
  })
  .meta({ id: 'Snapshot' });
export type Snapshot = z.infer<typeof Snapshot>;

export const getSnapshot = contract({
  id: 'getSnapshot',
  summary: 'Get what ran in an environment, by number or time',
  description:
    'Artifacts that left are shown in the snapshot in which they left, with `annotation.now` 0. A logical environment ' +
    'has no snapshots of its own: the answer is 400 with its members. Send the `ETag` of an earlier answer as ' +
    '`If-None-Match` to get 304 while it is the same; the answer changes when the environment or a flow is renamed, and ' +
    'that of the latest snapshot with what runs.',
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
      '`A..B` with `N`, `-N`, `~N` or `NOW` on either side, which may be left out; `A` means `A..A`; empty means all',
    examples: ['1..NOW'],
  });
const Reverse = z.enum(['true', 'false', '']).optional().meta({ description: '`true` for the oldest first' });

export const SnapshotSummary = z
  .object({
    index: Count,
    from: EpochSeconds.meta({ description: 'When it was made' }),
    to: EpochSeconds.meta({ description: 'When the next one was made; 0 for the latest' }),
    duration: z.number().meta({ description: 'Seconds; of the latest until now' }),
    compliant: z.boolean().meta({ description: 'False when unknown; `compliance` tells them apart' }),
    compliance: z.enum(['compliant', 'non-compliant', 'unknown']),
    trigger: z.string().meta({
      description:
        'Why it was made: a `report`, or later `provenance`, `evidence`, a `policy`, the `allow-list`, or a name or tag that a policy reads (`context`)',
    }),
    artifact_count: Count.meta({ description: 'How many artifacts ran, by name and fingerprint' }),
  })
  .meta({ id: 'SnapshotSummary' });

export const listSnapshots = contract({
  id: 'listSnapshots',
  summary: 'List the snapshots of an environment, newest first',
  description: 'A page beyond the last is empty. A logical environment has none: the answer is 400 with its members.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/snapshots/:org/:env_name',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    page: Page.optional().meta({ description: '1 unless given' }),
    per_page: PerPage(100).meta({ description: '15 unless given' }),
    interval: Interval,
    reverse: Reverse,
  }),
  status: 200,
  reply: z.array(SnapshotSummary),
  errors: [400, 401, 403, 404, 429, 503],
});

const DiffArtifact = z.object({
  fingerprint: z.string().meta({ description: 'Empty when it is not known what runs under the name' }),
  name: z.string(),
  previous_name: z
    .string()
    .nullable()
    .meta({ description: 'What it was called in `snappish1`, if nothing was called `name` there' }),
  flow: z.string().meta({ description: 'Where it was reported last; empty without provenance' }),
  commit_url: z.string(),
  most_recent_timestamp: Count.nullable().meta({ description: 'When its youngest instance started' }),
  instance_count: Count.nullable().meta({ description: 'Instances; null in `changed`, where there are two counts' }),
  s1_instance_count: Count.nullable().meta({
    description: 'Instances in `snappish1`; null when it did not run there, or nothing changed',
  }),
  s2_instance_count: Count.nullable().meta({
    description: 'Instances in `snappish2`; null when it does not run there, or nothing changed',
  }),
  pods: z.array(z.string()).meta({ description: 'Names of the pods it runs in' }),
});
export type DiffArtifact = z.infer<typeof DiffArtifact>;

const DiffPart = z.object({
  snapshot_id: z.string().nullable().meta({ description: 'Such as `prod#7`; null in what is about both' }),
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
    'Artifacts are the same when their fingerprints are; those that are not identified, when their names are. ' +
    '`snappish1` and `snappish2` list what runs in one only, `changed` what runs in both in other numbers or under ' +
    'another name.',
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
    sha256: z.string().meta({ description: 'Its fingerprint; empty when that is not known' }),
    description: z.string().meta({ description: 'What happened, in a sentence' }),
    reported_at: EpochSeconds,
    pipeline: z.string().meta({ description: 'The flow, under its old name' }),
    flows: z.array(z.object({ flow_name: z.string(), deployments: z.array(Count) })),
    deployments: z.array(Count).meta({ description: 'Snapshots in which this artifact started here' }),
    artifact_compliance: z.boolean().nullable().meta({ description: 'Null when unknown' }),
    snapshot_compliance: z.boolean().nullable().meta({ description: 'Null when unknown' }),
    code_diff: z
      .string()
      .meta({ description: 'Where the commits since what it replaced are shown; empty when not known' }),
    _links: z.record(z.string(), z.object({ href: z.string() })),
  })
  .meta({ id: 'EnvironmentEvent' });
export type EnvironmentEvent = z.infer<typeof EnvironmentEvent>;

const BOUND_FORMS = 'a snapshot index (negative from the latest), `NOW`, or how long ago: `1h`, `2days`, `30mins`';
const EventBound = text(50).meta({ examples: ['2days'] });
export const listEnvironmentEvents = contract({
  id: 'listEnvironmentEvents',
  summary: 'List what started, exited and changed in an environment, newest first',
  description:
    'Of a logical environment: the events of its members, by time. Times given in seconds go before `start` and `end`, ' +
    'and these before `interval`.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/environments/:org/:env_name/events',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    page: Page.optional().meta({ description: '1 unless given' }),
    per_page: PerPage(100).meta({ description: '15 unless given' }),
    interval: Interval,
    reverse: Reverse,
    repo_name: repeated(text(1000), 20).meta({ description: 'Only artifacts of any of these repositories' }),
    start: EventBound.optional().meta({ description: `Only events from here on: ${BOUND_FORMS}` }),
    end: EventBound.optional().meta({ description: `Only events up to here: ${BOUND_FORMS}` }),
    start_ts: QueryTime.optional().meta({ description: 'Only events from this time on, in seconds since 1970' }),
    end_ts: QueryTime.optional().meta({ description: 'Only events up to this time, in seconds since 1970' }),
    from: QueryTime.optional().meta({ description: 'Another word for `start_ts`' }),
    to: QueryTime.optional().meta({ description: 'Another word for `end_ts`' }),
  }),
  status: 200,
  reply: z.array(EnvironmentEvent),
  replyHeaders: {
    'x-total-count': 'How many there are',
    'x-per-page': 'How many a page holds',
    'x-current-page': 'Which page this is',
    'x-total-pages': 'How many pages there are',
    link: 'Where the pages around this one are',
  },
  errors: [400, 401, 403, 404, 429, 503],
});

export const getAuditLog = contract({
  id: 'getAuditLog',
  summary: 'Export what happened in an environment as CSV, oldest first',
  description:
    'One line for each artifact that started, exited or changed. Of a logical environment: what happened in its members.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/environments/:org/:env_name/auditlog',
  access: 'read',
  params: EnvironmentParams,
  query: z.strictObject({
    from_timestamp: QueryTime.optional().meta({ description: 'Only events from this time on, in seconds since 1970' }),
    to_timestamp: QueryTime.optional().meta({ description: 'Only events up to this time, in seconds since 1970' }),
    event_types: text(100).optional().meta({ description: 'Of `started`, `exited`, `changed`, with commas between' }),
    flow_names: text(4_000).optional().meta({
      description: 'Flows with commas between; `no provenance` selects what was reported into none',
    }),
    repo_names: text(4_000).optional().meta({ description: 'Repositories with commas between' }),
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
          policy_dump: z.record(z.string(), z.unknown()).meta({ description: 'What it asks for' }),
          failing_count: Count.meta({ description: 'How many artifacts run, fail it and are not waived' }),
          waived_count: Count.meta({ description: 'How many artifacts run, fail it and are waived' }),
        }),
      )
      .meta({ description: 'The policies that it was judged by, in the versions of that time' }),
  })
  .meta({ id: 'SnapshotHead' });

export const listSnapshotArtifacts = contract({
  id: 'listSnapshotArtifacts',
  summary: 'List what ran in an environment, by number or time, in pages',
  description:
    'What `getSnapshot` answers as `artifacts`, filtered and sorted. What left in this snapshot is in the list as well, ' +
    'behind all that runs unless it is sorted otherwise; `compliance` and the counts are about what runs. A page beyond ' +
    'the last is empty.',
  tag: 'Snapshots',
  method: 'GET',
  path: '/snapshots/:org/:env_name/:snapshot_expression/artifacts',
  access: 'read',
  params: EnvironmentParams.extend({ snapshot_expression: SnapshotExpression }),
  query: z.strictObject({
    page: Page.optional().meta({ description: '1 unless given' }),
    per_page: PerPage(100).meta({ description: '50 unless given' }),
    name: text(1000).optional().meta({ description: 'Part of the name, in any case' }),
    compliance: repeated(RunCompliance, 4).meta({ description: 'Only what runs and is any of these' }),
    flow: text(255).optional().meta({
      description: 'Only what was reported into this flow; `no provenance` for what was reported into none',
    }),
    sort: z.enum(snapshotArtifactSorts).optional().meta({ description: '`compliance` unless given, the worst first' }),
    sort_direction: z
      .enum(['asc', 'desc'])
      .optional()
      .meta({ description: '`desc` for `started_at` unless given, `asc` for the others' }),
  }),
  status: 200,
  reply: z
    .object({
      snapshot: SnapshotHead,
      counts: z
        .object({ compliant: Count, 'non-compliant': Count, unknown: Count, waived: Count, exited: Count })
        .meta({ description: 'Of the whole snapshot: how many run and are what, and how many left' }),
      page: Count,
      per_page: Count,
      total_count: Count.meta({ description: 'How many the filters let through' }),
      artifacts: z.array(SnapshotArtifact),
    })
    .meta({ id: 'SnapshotArtifactPage' }),
  errors: [400, 401, 403, 404, 429, 503],
});
