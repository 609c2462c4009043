import { complianceNow, type EnvironmentExplanation } from '@waymark/contract';
import { inBrief } from '@waymark/policy';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import { type ArtifactFixes, shownActions } from './actions.ts';
import { type ArtifactVerdict, askedBy, explainArtifact, listed, noPolicy, statusOf } from './explain-artifact.ts';

type Compliance = Exclude<RunCompliance, 'waived'>;

/** The verdict on an environment, and on some of its artifacts. */
export interface EnvironmentVerdict {
  readonly name: string;
  readonly snapshotIndex: number | null;
  readonly isStored: boolean;
  readonly compliance: Compliance;
  /** A report is overdue, so what runs now may differ. */
  readonly isStale: boolean;
  /** Names, in the order of the policies. */
  readonly policies: readonly string[];
  /** All that runs. */
  readonly runs: readonly { readonly name: string; readonly compliance: RunCompliance }[];
  /** Those that are shown, in order. */
  readonly shown: readonly ArtifactVerdict[];
  /** For all non-compliant artifacts. */
  readonly fixes: readonly ArtifactFixes[];
  readonly times: Times;
}

/** Seconds since 1970. */
export interface Times {
  readonly judgedAt: number | null;
  readonly since: number | null;
  /** The snapshot in which the state began; null when no snapshot has it yet. */
  readonly sinceIn: number | null;
}

const ROOT = 'environment';

export function explainEnvironment(verdict: EnvironmentVerdict): EnvironmentExplanation {
  const { name, compliance, isStale, policies, runs, shown, times } = verdict;
  const now = complianceNow(compliance, isStale);
  const isDoubtful = now !== compliance;
  const actions = shownActions(verdict.fixes);
  return {
    id: ROOT,
    kind: 'environment',
    status: statusOf(now),
    needs: policies.length === 0 ? noPolicy(name) : `Every running artifact must have what ${askedBy(policies)}.`,
    found: [],
    because: isDoubtful
      ? `A report is overdue, so what runs now is unknown. In the last report: ${becauseOf(verdict)}`
      : becauseOf(verdict),
    fix: isDoubtful ? `Check that the reporter of environment '${name}' is running.` : fixOf(verdict, actions),
    since: times.since,
    children: shown.map((artifact) => explainArtifact(`${ROOT}/`, name, artifact)),
    ...brokeOf(compliance, times),
    actions,
    environment: name,
    snapshot_index: verdict.snapshotIndex,
    is_stored: verdict.isStored,
    artifact_count: runs.length,
    left_out: runs.length - shown.length,
  };
}

export function brokeOf(compliance: RunCompliance, { judgedAt, since, sinceIn }: Times) {
  const isBroken = compliance === 'non-compliant';
  return {
    judged_at: judgedAt,
    first_broke_at: isBroken ? since : null,
    first_broke_in: isBroken ? sinceIn : null,
  };
}

function fixOf(verdict: EnvironmentVerdict, actions: readonly { readonly fix: string }[]): string | null {
  return actions.length > 0 ? inBrief(actions.map(({ fix }) => fix)) : whatIsLacking(verdict);
}

/** The requirements before anything can be judged. */
function whatIsLacking({ name, policies, snapshotIndex }: EnvironmentVerdict): string | null {
  const lacking = [
    ...(policies.length === 0 ? [`Attach a policy to environment '${name}'.`] : []),
    ...(snapshotIndex === null ? [`Report what runs in environment '${name}'.`] : []),
  ];
  return lacking.length === 0 ? null : lacking.join(' ');
}

function becauseOf({ name, compliance, runs, snapshotIndex }: EnvironmentVerdict): string {
  if (snapshotIndex === null) return 'No report has arrived yet.';
  if (compliance === 'unknown') return noPolicy(name);
  if (runs.length === 0) return 'Nothing is running, so nothing fails.';
  const failing = runs.filter((run) => run.compliance === 'non-compliant');
  if (failing.length > 0) {
    const names = listed(failing.map((run) => run.name));
    return `${failing.length} of ${artifacts(runs.length)} ${failing.length === 1 ? 'is' : 'are'} not compliant: ${names}.`;
  }
  const waived = runs.filter((run) => run.compliance === 'waived').length;
  if (runs.length === 1) return `The one artifact is compliant${waived === 0 ? '' : ', by a waiver'}.`;
  return `All ${runs.length} artifacts are compliant${waived === 0 ? '' : `, ${waived} of them by a waiver`}.`;
}

function artifacts(count: number): string {
  return `${count} ${count === 1 ? 'artifact' : 'artifacts'}`;
}
