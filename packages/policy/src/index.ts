export type { Problem as PolicyProblem } from '@waymark/positioned-yaml';
export { describeProblems } from '@waymark/positioned-yaml';
export type { AttestationRule } from './attestation-rule.ts';
export type { PolicyIdentity } from './decide.ts';
export { decide, decideInSlices, POLICY_ENGINE } from './decide.ts';
export { instantOf, nextInstant } from './decide-instants.ts';
export { contextKey, evidenceKey, readEvidence } from './decide-keys.ts';
export type { Judged, Reason, Resolution, ResolutionType, RuleEvaluation } from './decision.ts';
export type { DecisionContext } from './decision-context.ts';
export type { ExcludedBy } from './demands/vex.ts';
export { excludedByVex } from './demands/vex.ts';
export type {
  Approver,
  ArtifactEvidence,
  AttestationEvidence,
  ChangedBy,
  FlowEvidence,
  IssueEvidence,
  LicenseEvidence,
  ListedIn,
  PullRequestEvidence,
  RecordedBy,
  StatementEvidence,
  StatementSigner,
} from './evidence.ts';
export type { Action, FixOptions } from './explain-actions.ts';
export { actionsFor, fixesOf, offersOverride, overridesIn } from './explain-actions.ts';
export type { ToExplain } from './explain-policy.ts';
export { explainPolicy } from './explain-policy.ts';
export type { ExplainedEvidence, ExplainedStatus, PolicyExplanation } from './explanation.ts';
export type { TestedCase } from './fixtures/test-policy.ts';
export { testPolicy } from './fixtures/test-policy.ts';
export { imageInWords } from './image-in-words.ts';
export type { JudgingMemory } from './judging-memory.ts';
export { createJudgingMemory } from './judging-memory.ts';
export type { ParsedPolicy } from './parse-policy.ts';
export { parsePolicy, parseStoredPolicy } from './parse-policy.ts';
export { PolicyDocument, policyJsonSchema } from './policy-document.ts';
export type {
  FindingEvidence,
  FindingsReading,
  NeededReading,
  Reading,
  Readings,
  Severity,
  VexEvidence,
  VexReading,
} from './readings.ts';
export { readReading, SEVERITIES, sizeOfReading } from './readings.ts';
export { readingsFor } from './readings-for.ts';
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
} from './rule.ts';
export type { TrustLevel } from './trust-level.ts';
export { TRUST_LEVELS } from './trust-level.ts';
