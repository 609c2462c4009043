import type { Demand } from './demand.ts';
import type { NotBy } from './demands/decider-fields.ts';
import type { Pattern } from './expression/patterns.ts';
import type { PolicyDocument } from './policy-document.ts';
import type { TrustLevel } from './trust-level.ts';

/** The scope of an expression. Without provenance there is no flow. */
export interface Scope {
  readonly flow: { readonly name: string; readonly tags: Readonly<Record<string, string>> } | null;
  readonly artifact: { readonly name: string; readonly fingerprint: string };
  readonly environment: { readonly name: string; readonly tags: Readonly<Record<string, string>> } | null;
  /** Results of searches that were run beforehand, by their text. */
  readonly matches?: PatternMatches;
}

export type PatternMatches = ReadonlyMap<Pattern, ReadonlyMap<string, boolean>>;

/** Which parts of a scope can change what an expression says; tags by the keys that it may read, sorted. */
export interface Reads {
  readonly flowName: boolean;
  readonly flowTags: readonly string[];
  readonly artifactName: boolean;
  readonly fingerprint: boolean;
  readonly environmentName: boolean;
  readonly environmentTags: readonly string[];
}

/** A `matches`: its pattern, and its subject. */
export interface PatternSearch {
  readonly pattern: Pattern;
  readonly readText: (scope: Scope) => string | null;
  readonly isOfFlow: boolean;
}

export interface Condition {
  /** As in the policy, `${{ }}` included. */
  readonly text: string;
  readonly holds: (scope: Scope) => boolean;
  readonly reads: Reads;
  readonly searches: readonly PatternSearch[];
}

/** What `rule` shows in a rule evaluation: `{type, definition}`, as plain JSON. */
export interface RuleDefinition {
  readonly type: 'provenance' | 'trail-compliance' | 'attestation';
  readonly definition: Readonly<Record<string, unknown>>;
}

export interface RequirementRule {
  readonly kind: 'provenance' | 'trail-compliance';
  readonly exceptions: readonly Condition[];
  readonly definition: RuleDefinition;
}

export interface AttestationRequirement {
  readonly kind: 'attestation';
  readonly name: string;
  readonly type: string;
  readonly if: Condition | null;
  readonly mustBeCompliant: boolean;
  /** The control that the evidence is for. Of a decision, the one that it must be about. */
  readonly forControl: string | null;
  readonly minApprovals: number | null;
  readonly minTrust: TrustLevel | null;
  /** Of decisions: how many identities must have recorded them together. */
  readonly minDeciders: number | null;
  /** Of pull requests: whose approvals do not count, besides those of their authors. */
  readonly notBy: NotBy | null;
  /** The other fields of the rule, in the order of `demandsOf`. */
  readonly demands: readonly Demand[];
  readonly definition: RuleDefinition;
}

export type Rule = RequirementRule | AttestationRequirement;

/** Where a policy names a control. */
export interface ControlMention {
  readonly identifier: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
}

export interface Policy {
  readonly document: PolicyDocument;
  /** Provenance, trail compliance, then attestations in order; optional ones are not rules. */
  readonly rules: readonly Rule[];
  /** All that its expressions read. */
  readonly reads: Reads;
  /** All searches of its expressions. */
  readonly searches: readonly PatternSearch[];
  readonly controls: readonly ControlMention[];
  /** Whether a verdict may change although no evidence does, because time passes. */
  readonly isTimed: boolean;
  /** Whether decisions need readings, beside the evidence. */
  readonly asksForReadings: boolean;
}
