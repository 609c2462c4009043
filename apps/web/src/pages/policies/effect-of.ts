import type { ReplyOf } from '@waymark/client';
import type { listSnapshotArtifacts } from '@waymark/contract';
import { type PolicyCounts, type PolicyVerdict, policyVerdict } from './policy-verdict.ts';

export type ArtifactPage = Pick<ReplyOf<typeof listSnapshotArtifacts>, 'snapshot' | 'counts' | 'artifacts'>;

export interface Effect {
  readonly snapshot: number;
  readonly at: number;
  /** The policy as it judged the snapshot; undefined when it did not judge yet. */
  readonly applied: (PolicyCounts & { readonly version: number }) | undefined;
  readonly running: number;
  readonly artifacts: readonly {
    readonly name: string;
    readonly fingerprint: string;
    readonly isWaived: boolean;
    readonly messages: readonly string[];
  }[];
}

/** The decisions of one policy, from a page of artifacts that fail any policy. */
export function effectOf({ snapshot, counts, artifacts }: ArtifactPage, policy: string): Effect {
  const applied = snapshot.applied_policies.find(({ name }) => name === policy);
  const listed = artifacts.map(({ name, fingerprint, compliance, reasons_for_incompliance: reasons }) => ({
    name,
    fingerprint,
    isWaived: compliance === 'waived',
    messages: [...new Set(reasons.filter(({ policy_name }) => policy_name === policy).map(({ message }) => message))],
  }));
  const failing = listed.filter(({ messages }) => messages.length > 0);
  return {
    snapshot: snapshot.index,
    at: snapshot.timestamp,
    applied,
    running: counts.compliant + counts['non-compliant'] + counts.unknown + counts.waived,
    artifacts: failing,
  };
}

/** Returns the verdict of the policy on an environment. Where it has not judged yet, or nothing runs, it is unknown. */
export function verdictOf({ applied, running }: Effect, isStale: boolean): PolicyVerdict {
  if (!applied) return { state: 'unknown', word: 'Not evaluated yet' };
  if (running === 0) return { state: 'unknown', word: isStale ? 'Nothing runs there · stale' : 'Nothing runs there' };
  return policyVerdict(applied, isStale, running);
}
