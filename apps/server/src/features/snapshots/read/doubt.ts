import type { RunDecisions } from './decision-json.reads.ts';
import type { RunAt, SnapshotRow } from './snapshot.reads.ts';

/** A run counts as unknown when a policy decision about it cannot be read. */
export function doubtRuns(runs: readonly RunAt[], { decisions }: RunDecisions): readonly RunAt[] {
  if (!decisions.values().some(({ isDamaged }) => isDamaged)) return runs;
  const isDoubtful = ({ compliance, decisionIds }: RunAt) =>
    compliance === 'compliant' && decisionIds.some((id) => decisions.get(id)?.isDamaged);
  return runs.map((run) => (isDoubtful(run) ? { ...run, compliance: 'unknown' } : run));
}

/** So does a snapshot with such a run, or one whose policies cannot be read. */
export function doubtSnapshot(
  snapshot: SnapshotRow,
  { before, after, hasPolicies }: { before: readonly RunAt[]; after: readonly RunAt[]; hasPolicies: boolean },
): SnapshotRow {
  const hasDoubt = !hasPolicies || after.some((run, i) => !run.hasExited && run.compliance !== before[i]?.compliance);
  return hasDoubt && snapshot.compliance === 'compliant' ? { ...snapshot, compliance: 'unknown' } : snapshot;
}
