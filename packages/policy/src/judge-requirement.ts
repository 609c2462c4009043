import type { RuleEvaluation } from './decision.ts';
import type { IndexedFlow } from './judge-evidence.ts';
import type { Fault } from './judge-fault.ts';
import {
  evaluationOf,
  excepted,
  exceptionFor,
  ignoredRule,
  type Judge,
  type Subject,
  scopeOf,
  withoutProvenance,
} from './judge-subject.ts';
import type { Condition, RequirementRule, RuleDefinition } from './rule.ts';

export function judgeRequirement({ kind, exceptions, definition: rule }: RequirementRule): Judge {
  const judgeReported = kind === 'provenance' ? judgeProvenance : judgeTrails;
  return (subject, faults) =>
    subject.evidence.flows.length > 0
      ? judgeReported(rule, exceptions, subject, faults)
      : judgeUnreported(rule, exceptions, subject, faults);
}

function judgeUnreported(
  rule: RuleDefinition,
  exceptions: readonly Condition[],
  subject: Subject,
  faults: Fault[],
): RuleEvaluation {
  const exception = exceptionFor(exceptions, scopeOf(subject, null));
  return exception === undefined ? withoutProvenance(rule, faults) : ignoredRule(rule, [excepted(exception, null)]);
}

/** A report is enough. */
function judgeProvenance(rule: RuleDefinition, _: readonly Condition[], { evidence }: Subject): RuleEvaluation {
  return { rule, satisfied: true, ignored: false, resolutions: evidence.reported };
}

function judgeTrails(
  rule: RuleDefinition,
  exceptions: readonly Condition[],
  subject: Subject,
  faults: Fault[],
): RuleEvaluation {
  const { flows } = subject.evidence;
  const found = flows.map((flow) => {
    const exception = exceptions.length === 0 ? undefined : exceptionFor(exceptions, scopeOf(subject, flow));
    if (exception !== undefined) return excepted(exception, flow);
    if (flow.evidence.status === 'COMPLIANT') return flow.satisfied;
    faults.push(faultIn(flow));
    return null;
  });
  return evaluationOf(rule, flows, found, faults);
}

/** Incomplete evidence is harmless where another flow is complete. */
function faultIn({ evidence, context }: IndexedFlow): Fault {
  const fails = evidence.status === 'NON-COMPLIANT';
  return {
    fails,
    resolution: { type: 'non_compliant_in_trail', context },
    flow: evidence,
    attestation: null,
    unmet: null,
  };
}
