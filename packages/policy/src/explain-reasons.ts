import type { Judged, Reason, Resolution, RuleEvaluation } from './decision.ts';

/** A rule with what decided about it, if it is not satisfied: each resolution with the reason that was given for it. */
export interface ReasonedRule {
  readonly evaluation: RuleEvaluation;
  /** Something fails, which has to be put right everywhere. Otherwise one of what is missing is enough. */
  readonly fails: boolean;
  readonly reasonOf: ReadonlyMap<Resolution, Reason>;
}

/** Reasons stand in the order of the rules and of what decided in each: a decision that was stored has them so, too. */
export function withReasonsOf({ ruleEvaluations, reasons }: Judged): ReasonedRule[] {
  let next = 0;
  return ruleEvaluations.map((evaluation) => {
    const faults = evaluation.satisfied === false ? evaluation.resolutions.filter(isFault) : [];
    const failing = faults.filter(isFailing);
    const reasonOf = new Map<Resolution, Reason>();
    for (const resolution of failing.length > 0 ? failing : faults) {
      const reason = reasons[next++];
      if (reason) reasonOf.set(resolution, reason);
    }
    return { evaluation, fails: failing.length > 0, reasonOf };
  });
}

function isFault({ type }: Resolution): boolean {
  return type !== 'rule_satisfied' && type !== 'rule_not_applicable';
}

/** What is incomplete does no harm where another flow has all of it. */
function isFailing({ type, context }: Resolution): boolean {
  if (type === 'non_compliant_in_trail') return context['artifact_status'] === 'NON-COMPLIANT';
  return type === 'non_compliant_attestation';
}
