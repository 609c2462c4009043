import type { Judged, Reason, Resolution, RuleEvaluation } from './decision.ts';
import type { RuleDefinition } from './rule.ts';

/** A rule with what decided about it, if it is not satisfied: each resolution with the reason that was given for it. */
export interface ReasonedRule {
  readonly evaluation: RuleEvaluation;
  /** Something fails, which has to be fixed everywhere. Otherwise one of the missing is enough. */
  readonly fails: boolean;
  readonly reasonOf: ReadonlyMap<Resolution, Reason>;
}

/** For each rule of a new or stored decision. Where there are too many reasons, some rules have none. */
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

/** Why the policy fails, apart from its rules. */
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

/** Incomplete evidence is harmless where another flow is complete. */
function isFailing({ type, context }: Resolution): boolean {
  if (type === 'non_compliant_in_trail') return context['artifact_status'] === 'NON-COMPLIANT';
  return type === 'non_compliant_attestation';
}
