import type { EnvironmentType } from '@waymark/contract';
import type { Logger } from '../../../platform/log.ts';
import { type StoredRows, storedRows } from '../../../platform/stored-json.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { artifactText, DAMAGE_MARK, type FlowText } from './artifact-text.ts';
import { doubtRuns, doubtSnapshot } from './doubt.ts';
import type { RunAt, SnapshotRow } from './snapshot.reads.ts';
import type { SnapshotContext } from './snapshot-context.reads.ts';

export interface About {
  readonly org: string;
  readonly publicUrl: string;
  readonly environment: { readonly id: string; readonly name: string; readonly type: EnvironmentType };
  readonly stored: StoredParts;
}

/** The rows that a snapshot is built from. */
export interface StoredParts {
  readonly policySets: StoredRows;
  readonly instances: StoredRows;
}

export function storedParts(log: Logger): StoredParts {
  return { policySets: storedRows(log, 'policy_set'), instances: storedRows(log, 'running_instances') };
}

/**
 * Returns a snapshot as JSON text. It joins pieces, most of which were serialized before: through objects, 2,000
 * artifacts take several times as long.
 */
export function snapshotText(
  snapshot: SnapshotRow,
  runs: readonly RunAt[],
  snapshotContext: SnapshotContext,
  about: About,
): { readonly text: string; readonly isWhole: boolean } {
  const policies = readPolicies(snapshot, about);
  const doubted = doubtRuns(runs, snapshotContext.runDecisions);
  const hasPolicies = policies !== null;
  const head = JSON.stringify({
    ...headOf(doubtSnapshot(snapshot, { before: runs, after: doubted, hasPolicies }), doubted, about),
    ...(!hasPolicies && { unreadable: true }),
    applied_policies: appliedPolicies(policies ?? [], doubted, snapshotContext),
  });
  const artifacts = artifactTexts(doubted, snapshot, doubted, snapshotContext, about);
  const isWhole = hasPolicies && !artifacts.includes(DAMAGE_MARK);
  return { text: `${head.slice(0, -1)},"artifacts":[${artifacts}]}`, isWhole };
}

/** The policies that judged the snapshot; null when they cannot be read. */
export function readPolicies({ policies, policy_set_id }: SnapshotRow, { stored }: About): object[] | null {
  return stored.policySets.read<object[] | null>(policy_set_id ?? '', policies, null);
}

/** The members of a snapshot itself, without its policies. */
export function headOf(snapshot: SnapshotRow, runs: readonly RunAt[], { org, publicUrl, environment }: About) {
  return {
    index: snapshot.index,
    is_latest: snapshot.next_at === null,
    timestamp: epochSeconds(snapshot.created_at),
    next_snapshot_timestamp: snapshot.next_at && epochSeconds(snapshot.next_at),
    type: environment.type,
    trigger: snapshot.trigger,
    compliant: snapshot.compliance === 'compliant',
    compliance: snapshot.compliance,
    artifact_compliance_count: complianceCount(runs),
    html_url: `${publicUrl}/${org}/environments/${environment.name}/snapshots/${snapshot.index}`,
  };
}

/** The elements of a JSON array, for some of the runs of a snapshot. */
export function artifactTexts(
  shown: readonly RunAt[],
  { index }: SnapshotRow,
  runs: readonly RunAt[],
  snapshotContext: SnapshotContext,
  { org, publicUrl, environment, stored }: About,
): string {
  const flows = flowTexts(`${publicUrl}/${org}/flows`, snapshotContext.flowNames);
  const running = new Set(runs.flatMap((run) => (run.hasExited ? [] : run.no)));
  const context = {
    index,
    snapshotContext,
    flowText: (flowId: string) => flows.get(flowId) ?? NO_FLOW,
    isRunning: (no: number) => running.has(no),
    instances: stored.instances,
    instancesKey: (no: number) => `${environment.id}/${no}`,
  };
  return shown.map((run) => artifactText(run, context)).join();
}

/** Adds the fingerprints of artifacts that fail each policy. Decisions are in the order of the policies. */
function appliedPolicies(policies: readonly object[], runs: readonly RunAt[], { runDecisions }: SnapshotContext) {
  const running = runs.filter((run) => !run.hasExited);
  return policies.map((policy, i) => ({
    ...policy,
    failing_artifacts: running.flatMap(({ fingerprint, decisionIds }) =>
      runDecisions.decisions.get(decisionIds[i] ?? '')?.reasons ? [fingerprint] : [],
    ),
  }));
}

const NO_FLOW: FlowText = { name: '"flow_name":""', url: '"' };

function flowTexts(flowsUrl: string, names: ReadonlyMap<string, string>): Map<string, FlowText> {
  const text = (name: string) => ({
    name: `"flow_name":${JSON.stringify(name)}`,
    url: JSON.stringify(`${flowsUrl}/${name}`).slice(0, -1),
  });
  return new Map(Array.from(names, ([id, name]) => [id, text(name)]));
}

/** Counts what runs, without exited artifacts. */
function complianceCount(runs: readonly RunAt[]) {
  const count = { true: 0, false: 0, null: 0 };
  const keys = { compliant: 'true', waived: 'true', 'non-compliant': 'false', unknown: 'null' } as const;
  for (const { hasExited, compliance } of runs) if (!hasExited) count[keys[compliance]]++;
  return count;
}
