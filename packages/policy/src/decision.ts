import type { RuleDefinition } from './rule.ts';

export type ResolutionType =
  | 'rule_satisfied'
  | 'rule_not_applicable'
  | 'missing_attestation'
  | 'non_compliant_attestation'
  | 'non_compliant_in_trail'
  | 'no_provenance'
  | 'not_decided';

/** The result of a rule in one flow, or without any. The context has wire names. */
export interface Resolution {
  readonly type: ResolutionType;
  readonly context: Readonly<Record<string, unknown>>;
}

export interface RuleEvaluation {
  readonly rule: RuleDefinition;
  /** Null when the rule does not apply. */
  readonly satisfied: boolean | null;
  readonly ignored: boolean;
  readonly resolutions: readonly Resolution[];
}

/** Why an artifact is not compliant: an entry of `reasons_for_incompliance`, as it is on the wire. */
export interface Reason {
  readonly policy_name: string;
  readonly policy_version: number;
  readonly rule: RuleDefinition;
  readonly resolution: ResolutionType;
  readonly flow_name: string | null;
  readonly trail_name: string | null;
  readonly attestation_name: string | null;
  readonly message: string;
  readonly fix: string;
}

/** The verdict of one version of a policy on one artifact. */
export interface Judged {
  readonly status: 'COMPLIANT' | 'NON-COMPLIANT';
  readonly ruleEvaluations: readonly RuleEvaluation[];
  /** Empty when compliant. */
  readonly reasons: readonly Reason[];
}
