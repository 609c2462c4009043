/** How a node of an explanation ends. What does not apply neither helps nor harms. */
export type ExplainedStatus = 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE' | 'MISSING' | 'NOT-APPLICABLE';

/** Evidence that was there. */
export interface ExplainedEvidence {
  readonly kind: 'attestation';
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly isCompliant: boolean;
  /** Seconds, of receipt. */
  readonly at: number;
  /** Of a decision. */
  readonly control: string | null;
}

/** What a policy, one of its rules or one flow came to, and why. */
export interface PolicyExplanation {
  /** A path that stays the same from one judgement to the next, such as `policy:prod/rule:2/flow:web`. */
  readonly id: string;
  readonly kind: 'policy' | 'rule' | 'evidence';
  readonly status: ExplainedStatus;
  readonly needs: string;
  readonly found: readonly ExplainedEvidence[];
  readonly because: string;
  readonly fix: string | null;
  /** When the newest evidence that decided was received; null when there was none. */
  readonly since: number | null;
  readonly children: readonly PolicyExplanation[];
}
