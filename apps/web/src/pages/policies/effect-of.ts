import type { ReplyOf } from '@waymark/client';
import type { listSnapshotArtifacts } from '@waymark/contract';

export type ArtifactPage = Pick<ReplyOf<typeof listSnapshotArtifacts>, 'snapshot' | 'counts' | 'artifacts'>;

export interface Effect {
  readonly snapshot: number;
  readonly at: number;
  /** Of the policy, when the snapshot was made; undefined when it did not judge yet, as `failing`. */
  readonly version: number | undefined;
  readonly failing: number | undefined;
  readonly running: number;
  readonly artifacts: readonly {
    readonly name: string;
    readonly fingerprint: string;
    readonly isWaived: boolean;
    readonly messages: readonly string[];
  }[];
}

/** What one policy says of what runs, out of a page of what fails anything. */
export function effectOf({ snapshot, counts, artifacts }: ArtifactPage, policy: string): Effect {
  const applied = snapshot.applied_policies.find(({ name }) => name === policy);
  const failing = artifacts.map(({ name, fingerprint, compliance, reasons_for_incompliance: reasons }) => ({
    name,
    fingerprint,
    isWaived: compliance === 'waived',
    messages: [...new Set(reasons.filter(({ policy_name }) => policy_name === policy).map(({ message }) => message))],
  }));
  return {
    snapshot: snapshot.index,
    at: snapshot.timestamp,
    version: applied?.version,
    failing: applied?.failing_count,
    running: counts.compliant + counts['non-compliant'] + counts.unknown + counts.waived,
    artifacts: failing.filter(({ messages }) => messages.length > 0),
  };
}
