import type { Judged, Reason, Resolution, RuleEvaluation } from './decision.ts';
import type { RuleDefinition } from './rule.ts';

/** A rule with what decided about it, if it is not satisfied: each resolution with the reason that was given for it. */
export interface ReasonedRule {
  readonly evaluation: RuleEvaluation;
  /** Something fails, which has to be put right everywhere. Otherwise one of what is missing is enough. */
  readonly fails: boolean;
  readonly reasonOf: ReadonlyMap<Resolution, Reason>;
}

/** Of each rule, whether the decision was just made or stored. Where there is very much to tell, some have no reasons. */
export function withReasonsOf({ ruleEvaluations, reasons }: Judged): ReasonedRule[] {
  const left = Map.groupBy(reasons, ({ rule, resolution, flow_name, trail_name, attestation_name }) =>
    keyOf(rule, resolution, flow_name, trail_name, attestation_name),
  );
  return ruleEvaluations.map((evaluation) => {
    const faults = evaluation.satisfied === false ? evaluation.resolutions.filter(isFault) : [];
    const reasonOf = new Map<Resolution, Reason>();
    for (const resolution of faults) {
      const { flow_name, trail_name, attestation_name } = resolution.context;
      const key = keyOf(evaluation.rule, resolution.type, flow_name, trail_name, attestation_name);
      const reason = left.get(key)?.shift();
      if (reason) reasonOf.set(resolution, reason);
    }
    return { evaluation, fails: faults.some(isFailing), reasonOf };
  });
}

/** Why the policy says no, whatever its rules say. */
export function reasonsBesides({ ruleEvaluations, reasons }: Judged): Reason[] {
  const rules = new Set(ruleEvaluations.map(({ rule }) => JSON.stringify(rule)));
  return reasons.filter(({ rule }) => !rules.has(JSON.stringify(rule)));
}

/** The name counts only for what fails, of which a flow may have several. */
function keyOf(rule: RuleDefinition, type: string, flow: unknown, trail: unknown, name: unknown): string {
  return JSON.stringify([rule, type, flow, trail, type === 'non_compliant_attestation' ? name : null]);
}

function isFault({ type }: Resolution): boolean {
  return type !== 'rule_satisfied' && type !== 'rule_not_applicable';
}

/** What is incomplete does no harm where another flow has all of it. */
function isFailing({ type, context }: Resolution): boolean {
  if (type === 'non_compliant_in_trail') return context['artifact_status'] === 'NON-COMPLIANT';
  return type === 'non_compliant_attestation';
}
