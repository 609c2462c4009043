import { type JudgedEvidence, type JudgedPart, judgedTogether, partsOf } from './decide-platforms.ts';
import type { Judged, Reason, Resolution, RuleEvaluation } from './decision.ts';
import type { DecisionContext } from './decision-context.ts';
import type { ArtifactEvidence } from './evidence.ts';
import type { Fault } from './judge-fault.ts';
import { createJudgingMemory, indexOf, type JudgingMemory, judgesOf } from './judging-memory.ts';
import { reasonsOf, tooManyFlows, tooManySteps } from './reasons.ts';
import type { PatternMatches, Policy } from './rule.ts';
import { runSearches, STEPS_MAX } from './run-searches.ts';

/** Stored with each decision, so that it can be replayed. Changes whenever the same input may be judged differently. */
export const POLICY_ENGINE = 'policy/3';

const NO_REASONS: readonly Reason[] = [];

/** More would not help a reader. */
const REASONS_MAX = 100;
const RESOLUTIONS_MAX = 100;

export interface PolicyIdentity {
  readonly name: string;
  readonly version: number;
}

/**
 * Evidence anywhere, failure anywhere: a rule is satisfied when one flow to which it applies satisfies it and none has
 * a failure. For an image index, every listed platform has to pass. Reasons name neither the artifact nor the
 * environment, because decisions are shared wherever the policy reads the same.
 */
export function decide(
  policy: Policy,
  identity: PolicyIdentity,
  evidence: ArtifactEvidence,
  context: DecisionContext,
  memory = createJudgingMemory(),
): Judged {
  const slices = decideInSlices(policy, identity, evidence, context, memory);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

/** Does the same, and yields wherever the caller may do other work. */
export function* decideInSlices(
  policy: Policy,
  identity: PolicyIdentity,
  evidence: ArtifactEvidence,
  context: DecisionContext,
  memory: JudgingMemory,
): Generator<void, Judged> {
  const matches = yield* runSearches(policy, evidence, context);
  if (matches === null) {
    return { status: 'NON-COMPLIANT', ruleEvaluations: [], reasons: [tooManySteps(identity, STEPS_MAX)] };
  }
  const asked: Asked = { policy, identity, context, matches, memory };
  const parts: JudgedPart[] = [];
  for (const part of partsOf(evidence)) {
    parts.push({ platform: part.image.platform, judged: yield* decideOne(asked, part) });
  }
  if (parts.length === 0) return yield* decideOne(asked, evidence);
  const { status, ruleEvaluations, reasons } = judgedTogether(parts);
  return { status, ruleEvaluations: ruleEvaluations.map(inBounds), reasons: reasons.slice(0, REASONS_MAX) };
}

interface Asked {
  readonly policy: Policy;
  readonly identity: PolicyIdentity;
  readonly context: DecisionContext;
  readonly matches: PatternMatches;
  readonly memory: JudgingMemory;
}

function* decideOne(asked: Asked, evidence: JudgedEvidence): Generator<void, Judged> {
  const { policy, identity, context, matches, memory } = asked;
  const index = indexOf(memory, evidence);
  const artifact = { name: context.artifactName, fingerprint: evidence.fingerprint };
  const subject = {
    evidence: index,
    artifact,
    environment: context.environment,
    matches,
    at: context.at ?? null,
    readings: context.readings,
  };
  let reasons = NO_REASONS;
  let faults: Fault[] = [];
  const ruleEvaluations: RuleEvaluation[] = [];
  for (const { rule, judge } of judgesOf(memory, policy)) {
    if (faults.length > 0) faults = [];
    const evaluation = judge(subject, faults);
    if (evaluation.satisfied === false && reasons.length < REASONS_MAX) {
      reasons = [...reasons, ...reasonsOf({ rule, identity, evidence, faults })].slice(0, REASONS_MAX);
    }
    ruleEvaluations.push(inBounds(evaluation));
    yield;
  }
  if (evidence.isCut) reasons = [tooManyFlows(identity, evidence), ...reasons];
  return { status: reasons.length === 0 ? 'COMPLIANT' : 'NON-COMPLIANT', ruleEvaluations, reasons };
}

/** An artifact may be in very many flows. Failures come first then. */
function inBounds(evaluation: RuleEvaluation): RuleEvaluation {
  const { resolutions } = evaluation;
  if (resolutions.length <= RESOLUTIONS_MAX) return evaluation;
  const worstFirst = resolutions.toSorted((a, b) => goodnessOf(a) - goodnessOf(b));
  return { ...evaluation, resolutions: worstFirst.slice(0, RESOLUTIONS_MAX) };
}

function goodnessOf({ type }: Resolution): number {
  if (type === 'rule_satisfied' || type === 'rule_not_applicable') return 2;
  return type === 'missing_attestation' ? 1 : 0;
}
