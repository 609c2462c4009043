/** The status of a node. What does not apply does not count. */
export type ExplainedStatus = 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE' | 'MISSING' | 'NOT-APPLICABLE';

/** Evidence that was there. */
export interface ExplainedEvidence {
  readonly kind: 'attestation' | 'artifact';
  readonly id: string;
  /** Of an artifact its fingerprint. */
  readonly name: string;
  /** Null for an artifact. */
  readonly type: string | null;
  /** Of an artifact the verdict in its trail, where that is what is asked for; otherwise null. */
  readonly isCompliant: boolean | null;
  /** Seconds, of receipt. Null for an artifact: decisions are made without it. */
  readonly at: number | null;
  /** Of a decision. */
  readonly control: string | null;
}

/** The result of a policy, one of its rules or one flow, and why. */
export interface PolicyExplanation {
  /** A path that is stable between judgements, such as `policy:prod/rule:2/flow:web`. */
  readonly id: string;
  readonly kind: 'policy' | 'rule' | 'evidence';
  readonly status: ExplainedStatus;
  readonly needs: string;
  readonly found: readonly ExplainedEvidence[];
  readonly because: string;
  readonly fix: string | null;
  /** When the newest deciding evidence was received; null without any. */
  readonly since: number | null;
  readonly children: readonly PolicyExplanation[];
}
