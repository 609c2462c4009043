import type { DecisionContext, Policy, PolicyIdentity } from '@waymark/policy';

/** A policy that may never have judged anything. */
export interface TriedPolicy {
  readonly policy: Policy;
  readonly identity: PolicyIdentity;
  /** The policy whose decisions it replaces, if any. */
  readonly policyId: string | null;
}

export interface ToJudge {
  readonly fingerprint: string;
  /** Null when nothing was judged then: current evidence is used. */
  readonly evidenceId: string | null;
  readonly context: Omit<DecisionContext, 'at'>;
  /** Seconds: how long the verdict was in force. */
  readonly during: { readonly from: number; readonly until: number };
}

/** The reasons why the artifact is not compliant, a JSON array as text; null when it is compliant. */
export type BackTestOutcome = string | null;

/** Of a policy that does not depend on the time, there is one outcome. */
export interface OutcomeSince {
  /** Seconds. */
  readonly since: number;
  readonly outcome: BackTestOutcome;
}
