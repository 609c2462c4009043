export type { Problem as PolicyProblem } from '@waymark/positioned-yaml';
export { describeProblems } from '@waymark/positioned-yaml';
export type { AttestationRule } from './attestation-rule.ts';
export { TRUST_LEVELS } from './attestation-rule.ts';
export type { PolicyIdentity } from './decide.ts';
export { decide, decideInSlices, POLICY_ENGINE } from './decide.ts';
export { contextKey, evidenceKey, readEvidence } from './decide-keys.ts';
export type { Judged, Reason, Resolution, ResolutionType, RuleEvaluation } from './decision.ts';
export type { DecisionContext } from './decision-context.ts';
export type {
  Approver,
  ArtifactEvidence,
  AttestationEvidence,
  FlowEvidence,
  ListedIn,
  PullRequestEvidence,
} from './evidence.ts';
export type { Action, FixOptions } from './explain-actions.ts';
export { actionsFor, fixesOf } from './explain-actions.ts';
export type { ToExplain } from './explain-policy.ts';
export { explainPolicy } from './explain-policy.ts';
export type { ExplainedEvidence, ExplainedStatus, PolicyExplanation } from './explanation.ts';
export { imageInWords } from './image-in-words.ts';
export type { JudgingMemory } from './judging-memory.ts';
export { createJudgingMemory } from './judging-memory.ts';
export type { ParsedPolicy } from './parse-policy.ts';
export { parsePolicy, parseStoredPolicy } from './parse-policy.ts';
export { PolicyDocument, policyJsonSchema } from './policy-document.ts';
export { reasonTexts } from './reason-texts.ts';
export { inBrief } from './reasons-in-words.ts';
export type {
  AttestationRequirement,
  Condition,
  ControlMention,
  Policy,
  Reads,
  RequirementRule,
  Rule,
  RuleDefinition,
  Scope,
  TrustLevel,
} from './rule.ts';
