import { conditionInWords } from './condition-in-words.ts';
import type { PolicyIdentity } from './decide.ts';
import type { Judged, Reason } from './decision.ts';
import type { ArtifactEvidence } from './evidence.ts';
import { actionsFor, fixesOf } from './explain-actions.ts';
import { explainEvidence } from './explain-evidence.ts';
import { type ReasonedRule, reasonsBesides, withReasonsOf } from './explain-reasons.ts';
import type { ExplainedStatus, PolicyExplanation } from './explanation.ts';
import { counted } from './in-words.ts';
import { reasonTexts } from './reason-texts.ts';
import { demandOf, inBrief, needsOf } from './reasons-in-words.ts';
import type { Policy, Rule } from './rule.ts';

export interface ToExplain {
  readonly policy: Policy;
  readonly identity: PolicyIdentity;
  readonly evidence: ArtifactEvidence;
  /** The result of `decide`, new or stored. */
  readonly judged: Judged;
}

/** The policy, its rules and the findings for each. `id` is the path of the subject. */
export function explainPolicy(id: string, { policy, identity, evidence, judged }: ToExplain): PolicyExplanation {
  const own = `${id}/policy:${identity.name}`;
  const rules = withReasonsOf(judged).flatMap((reasoned, place) => {
    const rule = policy.rules[place];
    return rule ? [explainRule(`${own}/rule:${place + 1}`, identity, rule, reasoned, evidence)] : [];
  });
  const broken = rules.filter(({ status }) => status === 'NON-COMPLIANT');
  const deciding = broken.length > 0 ? broken : rules;
  const complaints = [...reasonTexts(reasonsBesides(judged)), ...broken.map(({ because }) => because)];
  return {
    id: own,
    kind: 'policy',
    status: judged.status,
    needs: needsOfAll(identity, rules.length),
    found: [],
    because: complaints.length > 0 ? inBrief(complaints) : whyCompliant(rules),
    fix: briefOrNull(actionsFor([[own, fixesOf([judged])]]).map(({ fix }) => fix)),
    since: newestOf(deciding),
    children: rules,
  };
}

function needsOfAll({ name, version }: PolicyIdentity, count: number): string {
  if (count === 0) return `Nothing: policy '${name}', version ${version}, has no rules.`;
  return `${count === 1 ? 'The one rule' : `All ${count} rules`} of policy '${name}', version ${version}.`;
}

function whyCompliant(rules: readonly PolicyExplanation[]): string {
  const applying = rules.filter(({ status }) => status === 'COMPLIANT').length;
  if (rules.length === 0) return 'The policy requires nothing.';
  if (applying === 0) return 'No rule of the policy applies.';
  return applying === rules.length
    ? `${counted(applying, 'rule')} applied and satisfied.`
    : `${applying} of ${counted(rules.length, 'rule')} applied and satisfied.`;
}

function explainRule(
  id: string,
  identity: PolicyIdentity,
  rule: Rule,
  { evaluation, fails, reasonOf }: ReasonedRule,
  evidence: ArtifactEvidence,
): PolicyExplanation {
  const needs = requirementOf(rule);
  const leaves = evaluation.resolutions.map((resolution) =>
    explainEvidence(id, { rule, needs, evaluation, resolution, reason: reasonOf.get(resolution), evidence }),
  );
  const children = apart(leaves);
  const deciding = children.filter(({ status, fix }) =>
    evaluation.satisfied === false ? fix !== null : status === (evaluation.satisfied ? 'COMPLIANT' : 'NOT-APPLICABLE'),
  );
  const fixes = deciding.flatMap(({ fix }) => fix ?? []);
  const complaints = evaluation.satisfied === false ? complaintsOf(identity, rule, [...reasonOf.values()]) : [];
  return {
    id,
    kind: 'rule',
    status: statusOf(evaluation.satisfied),
    needs,
    found: deciding.flatMap(({ found }) => found),
    because: inBrief(complaints.length > 0 ? complaints : deciding.map(({ because }) => because)),
    fix: fails ? briefOrNull(fixes) : (fixes[0] ?? null),
    since: newestOf(deciding),
    children,
  };
}

/** A decision has a bounded number of reasons. */
function complaintsOf({ name }: PolicyIdentity, rule: Rule, reasons: readonly Reason[]): string[] {
  if (reasons.length > 0) return reasonTexts(reasons);
  return [`${demandOf(name, rule)} This is not satisfied; there are too many reasons to list them all.`];
}

function statusOf(satisfied: boolean | null): ExplainedStatus {
  if (satisfied === null) return 'NOT-APPLICABLE';
  return satisfied ? 'COMPLIANT' : 'NON-COMPLIANT';
}

/** "A compliant attestation of type junit, if the flow is 'web'.": the requirement of a rule, and when it applies. */
function requirementOf(rule: Rule): string {
  const needs = needsOf(rule);
  const texts = rule.kind === 'attestation' ? (rule.if ? [rule.if.text] : []) : rule.exceptions.map(({ text }) => text);
  const when = rule.kind === 'attestation' ? ', if' : ', except if';
  const condition = texts.length === 0 ? '' : `${when} ${texts.map(conditionInWords).join(', or if ')}`;
  return `${needs.charAt(0).toUpperCase()}${needs.slice(1)}${condition}.`;
}

/** An attestation of the trail may have the name and type of one of the artifact, and an archived flow the name of another. */
function apart(nodes: readonly PolicyExplanation[]): PolicyExplanation[] {
  const seen = new Map<string, number>();
  return nodes.map((node) => {
    const times = (seen.get(node.id) ?? 0) + 1;
    seen.set(node.id, times);
    return times === 1 ? node : { ...node, id: `${node.id}~${times}` };
  });
}

function newestOf(nodes: readonly PolicyExplanation[]): number | null {
  const times = nodes.flatMap(({ since }) => since ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

function briefOrNull(messages: readonly string[]): string | null {
  return messages.length === 0 ? null : inBrief(messages);
}
