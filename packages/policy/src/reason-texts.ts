import type { AttestationRule } from './attestation-rule.ts';
import type { Reason } from './decision.ts';
import { demandsOf } from './demands/demands-of.ts';
import { type Asked, demandOf, inBrief } from './reasons-in-words.ts';
import type { RuleDefinition } from './rule.ts';

/** Returns one text for each rule: the requirement of the policy once, and then the problem in each flow. */
export function reasonTexts(reasons: readonly Reason[]): string[] {
  const ofRules = Map.groupBy(reasons, ({ policy_name, rule }) => JSON.stringify([policy_name, rule]));
  return Array.from(ofRules.values(), textOfRule);
}

function textOfRule(reasons: readonly Reason[]): string {
  const [first] = reasons;
  if (!first) return '';
  const demand = `${demandOf(first.policy_name, askedBy(first.rule))} `;
  const hasSameWording = reasons.every(({ message }) => message.startsWith(demand));
  return hasSameWording
    ? `${demand}${inBrief(reasons.map(({ message }) => message.slice(demand.length)))}`
    : inBrief(reasons.map(({ message }) => message));
}

/** A stored decision has its rules as on the wire. */
function askedBy({ type, definition }: RuleDefinition): Asked {
  if (type !== 'attestation') return { kind: type };
  const rule = definition as unknown as AttestationRule;
  return {
    kind: 'attestation',
    name: rule.name,
    type: rule.type,
    mustBeCompliant: rule.must_be_compliant,
    forControl: rule.for_control ?? null,
    minApprovals: rule.min_approvals ?? null,
    minTrust: rule.min_trust ?? null,
    demands: demandsOf(rule),
  };
}
