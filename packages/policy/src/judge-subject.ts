import type { Resolution, RuleEvaluation } from './decision.ts';
import type { IndexedEvidence, IndexedFlow } from './judge-evidence.ts';
import type { Fault } from './judge-fault.ts';
import type { Readings } from './readings.ts';
import type { Condition, PatternMatches, RuleDefinition, Scope } from './rule.ts';

/** The artifact that is judged, and where. */
export interface Subject {
  readonly evidence: IndexedEvidence;
  readonly artifact: Scope['artifact'];
  readonly environment: Scope['environment'];
  readonly matches: PatternMatches;
  /** Seconds. Null where no rule of the policy depends on the time. */
  readonly at: number | null;
  readonly readings: Readings | undefined;
}

/** Judges a subject by one rule. Adds its problems to `faults`, to be shown if they decide. */
export type Judge = (subject: Subject, faults: Fault[]) => RuleEvaluation;

const NOWHERE = { flow_name: null, trail_name: null, artifact_status: null };
const NO_PROVENANCE: Resolution = { type: 'no_provenance', context: NOWHERE };
const NOT_APPLICABLE: readonly Resolution[] = [{ type: 'rule_not_applicable', context: NOWHERE }];

export function scopeOf({ artifact, environment, matches }: Subject, flow: IndexedFlow | null): Scope {
  return { flow: flow === null ? null : flow.evidence.flow, artifact, environment, matches };
}

export function exceptionFor(exceptions: readonly Condition[], scope: Scope): Condition | undefined {
  return exceptions.find((exception) => exception.holds(scope));
}

export function excepted(exception: Condition, flow: IndexedFlow | null): Resolution {
  return { type: 'rule_not_applicable', context: { ...(flow?.context ?? NOWHERE), exception: exception.text } };
}

export function withoutProvenance(rule: RuleDefinition, faults: Fault[]): RuleEvaluation {
  faults.push({ fails: false, resolution: NO_PROVENANCE, flow: null, attestation: null, unmet: null });
  return { rule, satisfied: false, ignored: false, resolutions: [NO_PROVENANCE] };
}

export function ignoredRule(rule: RuleDefinition, resolutions: readonly Resolution[] = NOT_APPLICABLE): RuleEvaluation {
  return { rule, satisfied: null, ignored: true, resolutions };
}

/**
 * Evidence anywhere, failure anywhere. `found` has the result of the rule in each flow, and null where there are
 * faults.
 */
export function evaluationOf(
  rule: RuleDefinition,
  flows: readonly IndexedFlow[],
  found: readonly (Resolution | null)[],
  faults: readonly Fault[],
): RuleEvaluation {
  if (!isFaultless(found)) {
    const satisfied = found.some(isSatisfied) && !faults.some(({ fails }) => fails);
    return { rule, satisfied, ignored: false, resolutions: withFaults(flows, found, faults) };
  }
  return found.some(isSatisfied)
    ? { rule, satisfied: true, ignored: false, resolutions: found }
    : ignoredRule(rule, found);
}

function isFaultless(found: readonly (Resolution | null)[]): found is readonly Resolution[] {
  return !found.includes(null);
}

function isSatisfied(resolution: Resolution | null): boolean {
  return resolution?.type === 'rule_satisfied';
}

function withFaults(
  flows: readonly IndexedFlow[],
  found: readonly (Resolution | null)[],
  faults: readonly Fault[],
): Resolution[] {
  const faultsOf = Map.groupBy(faults, ({ flow }) => flow);
  return flows.flatMap(({ evidence }, place) => {
    return found[place] ?? (faultsOf.get(evidence) ?? []).map(({ resolution }) => resolution);
  });
}
