import type { ArtifactEvidence } from './evidence.ts';
import { judgeAttestations } from './judge-attestations.ts';
import { type IndexedEvidence, indexEvidence } from './judge-evidence.ts';
import { judgeRequirement } from './judge-requirement.ts';
import type { Judge } from './judge-subject.ts';
import type { Policy, Rule } from './rule.ts';

export interface RuleJudge {
  readonly rule: Rule;
  readonly judge: Judge;
}

/**
 * What is worked out once for many decisions. Whoever makes them holds it, for as long as they are made.
 *
 * A policy judges many artifacts and does not change meanwhile. One artifact is judged by many policies, one after
 * another: only the last is remembered, so that what was worked out dies young.
 */
export interface JudgingMemory {
  readonly judges: Map<Policy, readonly RuleJudge[]>;
  last: IndexedEvidence | null;
}

export function createJudgingMemory(): JudgingMemory {
  return { judges: new Map(), last: null };
}

export function judgesOf({ judges }: JudgingMemory, policy: Policy): readonly RuleJudge[] {
  const known = judges.get(policy);
  if (known !== undefined) return known;
  const made = policy.rules.map((rule) => ({ rule, judge: judgeOf(rule) }));
  judges.set(policy, made);
  return made;
}

export function indexOf(memory: JudgingMemory, evidence: ArtifactEvidence): IndexedEvidence {
  const { last } = memory;
  if (last !== null && last.of === evidence) return last;
  const made = indexEvidence(evidence);
  memory.last = made;
  return made;
}

function judgeOf(rule: Rule): Judge {
  return rule.kind === 'attestation' ? judgeAttestations(rule) : judgeRequirement(rule);
}
