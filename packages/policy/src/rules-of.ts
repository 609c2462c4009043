import type { AttestationRule } from './attestation-rule.ts';
import type { Demand } from './demand.ts';
import { demandsOf } from './demands/demands-of.ts';
import { compileExpression } from './expression/compile-expression.ts';
import { parseExpression } from './expression/parse-expression.ts';
import { searchesIn } from './expression/pattern-searches.ts';
import type { Patterns } from './expression/patterns.ts';
import { readsOf } from './expression/reads.ts';
import type { PolicyDocument } from './policy-document.ts';
import type { AttestationRequirement, Condition, RequirementRule, Rule } from './rule.ts';

type Requirement = PolicyDocument['artifacts']['provenance'];

/** What a policy asks for: provenance, trail compliance, then evidence in its order. */
export function rulesOf({ artifacts }: PolicyDocument, patterns: Patterns): Rule[] {
  const condition = (text: string) => conditionFrom(text, patterns);
  return [
    ...requirementOf('provenance', artifacts.provenance, condition),
    ...requirementOf('trail-compliance', artifacts['trail-compliance'], condition),
    ...artifacts.attestations.map((rule) => attestationRequirement(rule, condition)),
  ];
}

function requirementOf(
  kind: RequirementRule['kind'],
  { required, exceptions }: Requirement,
  condition: (text: string) => Condition,
): RequirementRule[] {
  if (!required) return [];
  const texts = exceptions.map((exception) => exception.if);
  const definition = { required, exceptions: texts.map((text) => ({ if: { text } })) };
  return [{ kind, exceptions: texts.map(condition), definition: { type: kind, definition } }];
}

function attestationRequirement(rule: AttestationRule, condition: (text: string) => Condition): AttestationRequirement {
  const demands = demandsOf(rule);
  return {
    kind: 'attestation',
    name: rule.name,
    type: rule.type,
    if: rule.if === undefined ? null : condition(rule.if),
    mustBeCompliant: rule.must_be_compliant,
    forControl: rule.for_control ?? null,
    minApprovals: rule.min_approvals ?? null,
    minTrust: rule.min_trust ?? null,
    minDeciders: rule.min_deciders ?? null,
    notBy: rule.type === 'pull_request' ? (rule.not_by ?? null) : null,
    demands,
    definition: { type: 'attestation', definition: definitionOf(rule, demands) },
  };
}

/** As clients know it, where a condition is an object; what the rule does not say is left out, except for that. */
function definitionOf(rule: AttestationRule, demands: readonly Demand[]): Readonly<Record<string, unknown>> {
  return {
    if: rule.if === undefined ? null : { text: rule.if },
    name: rule.name,
    type: rule.type,
    must_be_compliant: rule.must_be_compliant,
    ...(rule.for_control === undefined ? {} : { for_control: rule.for_control }),
    ...(rule.min_approvals === undefined ? {} : { min_approvals: rule.min_approvals }),
    ...(rule.min_trust === undefined ? {} : { min_trust: rule.min_trust }),
    ...Object.fromEntries(demands.map(({ field, value }) => [field, value])),
  };
}

/** For an expression out of a document, which was read and checked with it. */
function conditionFrom(text: string, patterns: Patterns): Condition {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`No expression: ${parsed.fault.message}`);
  const { expression } = parsed;
  return {
    text,
    holds: compileExpression(expression, patterns),
    reads: readsOf(expression),
    searches: searchesIn(expression, patterns),
  };
}
