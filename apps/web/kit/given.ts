import type { ComplianceDay, ComplianceDays, Environment, MatrixCell, SnapshotArtifact } from '@waymark/contract';
import type { Judged } from '../src/pages/environments/unknown-word.ts';
import type { State } from '../src/ui/StateBadge.tsx';
import { DAY, HOUR, NOW } from './story.ts';

export const STATES: readonly State[] = ['non-compliant', 'unknown', 'waived', 'compliant'];

const FINGERPRINT = '7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069';
const STALE_SECONDS = 3 * HOUR;

type GivenEnvironment = Judged & Pick<Environment, 'stale' | 'stale_since'>;

function environment(changes: Partial<GivenEnvironment>): GivenEnvironment {
  return {
    type: 'K8S',
    compliance: 'compliant',
    policies: ['prod-release'],
    latest_snapshot_index: 7,
    last_reported_at: NOW - HOUR,
    stale: false,
    stale_since: null,
    ...changes,
  };
}

const STALE = { stale: true, stale_since: NOW - STALE_SECONDS };

/** Every state of an environment that the server can return: a stale one is never compliant. */
export const ENVIRONMENTS: readonly (readonly [string, GivenEnvironment])[] = [
  ['non-compliant', environment({ compliance: 'non-compliant' })],
  ['non-compliant, stale', environment({ compliance: 'non-compliant', ...STALE })],
  ['compliant', environment({})],
  ['last report compliant, stale', environment({ compliance: 'unknown', ...STALE })],
  ['no report yet', environment({ compliance: 'unknown', latest_snapshot_index: 0, last_reported_at: null })],
  ['no report yet, overdue', environment({ compliance: 'unknown', latest_snapshot_index: 0, ...STALE })],
  ['no policy', environment({ compliance: 'unknown', policies: [] })],
  ['no policy, stale', environment({ compliance: 'unknown', policies: [], ...STALE })],
  ['logical, a member unknown', environment({ compliance: 'unknown', type: 'logical' })],
];

const WAIVER: NonNullable<SnapshotArtifact['allow_listing']> = {
  allowlist_id: 'w1',
  allowed_by_user_id: 'ada',
  timestamp: NOW - DAY,
  description: 'The finding is in code that is never called',
  expires_at: NOW + 9 * DAY,
};

const REASON: SnapshotArtifact['reasons_for_incompliance'][number] = {
  policy_name: 'prod-release',
  policy_version: 3,
  rule: { type: 'attestation', definition: {} },
  resolution: 'non_compliant_attestation',
  flow_name: 'payments',
  trail_name: '1.12.3',
  attestation_name: 'snyk',
  message: 'Attestation of type snyk is non-compliant',
  fix: 'Report snyk again',
};

export function artifact(compliance: State): SnapshotArtifact {
  const fails = compliance === 'non-compliant' || compliance === 'waived';
  return {
    name: 'payments:1.12.3',
    fingerprint: FINGERPRINT,
    creationTimestamp: [NOW - DAY],
    annotation: { type: 'unchanged', was: 2, now: 2 },
    compliant: compliance === 'compliant',
    compliance,
    flow_name: 'payments',
    git_commit: FINGERPRINT.slice(0, 40),
    commit_url: '',
    html_url: '',
    flow_html_url: '',
    flows: [],
    deployments: [],
    deployment_diff: null,
    commit_lead_time: null,
    policy_decisions: [],
    reasons_for_incompliance: fails ? [REASON] : [],
    allow_listing: compliance === 'waived' ? WAIVER : null,
    pods: null,
    container_task_context: null,
    serverless_run_context: null,
    app_context: null,
  };
}

export function cell(compliance: State): MatrixCell {
  return {
    fingerprint: FINGERPRINT,
    artifact_name: 'payments:1.12.3',
    git_commit: FINGERPRINT.slice(0, 40),
    trail_name: '1.12.3',
    since: NOW - DAY,
    compliance,
    others: 0,
  };
}

const NO_TIME: ComplianceDay = { compliant: 0, non_compliant: 0, unknown: 0, no_data: 0, waived: false, snapshots: 1 };

/** Every look of a day: how much was compliant, then without reports, unjudged, waived, and before the first report. */
const KINDS_OF_DAY: readonly Partial<ComplianceDay>[] = [
  {},
  { compliant: DAY },
  { compliant: DAY, waived: true },
  { compliant: 995, non_compliant: 5 },
  { compliant: 95, non_compliant: 5 },
  { compliant: 6, non_compliant: 4 },
  { non_compliant: DAY },
  { non_compliant: DAY, waived: true },
  { unknown: DAY },
  { no_data: DAY },
  { compliant: DAY / 2, no_data: DAY / 2 },
  { non_compliant: DAY / 2, no_data: DAY / 2 },
  { unknown: DAY / 2, no_data: DAY / 2 },
];

const FIRST_DAY = NOW - (NOW % DAY) - (KINDS_OF_DAY.length - 1) * DAY;

export const DAYS: ComplianceDays = {
  from: FIRST_DAY,
  to: FIRST_DAY + KINDS_OF_DAY.length * DAY,
  days: KINDS_OF_DAY.map((_, place) => FIRST_DAY + place * DAY),
  page: 1,
  per_page: 20,
  total_count: 2,
  environments: [
    { name: 'production', type: 'K8S', days: KINDS_OF_DAY.map((day) => ({ ...NO_TIME, ...day })) },
    { name: 'planned', type: 'K8S', days: KINDS_OF_DAY.map(() => NO_TIME) },
  ],
};
