import { hash } from 'node:crypto';

/** A row of `running_verdict` as the entry about its snapshot binds it. */
export interface BoundVerdict {
  readonly no: number;
  readonly cause: string;
  readonly compliance: string;
  readonly artifact_ids: readonly string[];
  readonly replaced_no: number | null;
  readonly evidence_id: string | null;
  readonly decision_ids: readonly string[];
  readonly waiver_id: string | null;
}

/** The digest of the verdicts that begin with a snapshot, in the order of the runs. */
export function verdictsDigest(verdicts: readonly BoundVerdict[]): string {
  const rows = verdicts
    .toSorted((one, other) => one.no - other.no)
    .map(({ no, cause, compliance, artifact_ids, replaced_no, evidence_id, decision_ids, waiver_id }) => [
      ...[no, cause, compliance, artifact_ids, replaced_no, evidence_id, decision_ids, waiver_id],
    ]);
  return hash('sha256', JSON.stringify(rows));
}
