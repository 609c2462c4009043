import type { Checked, Problem } from '@waymark/positioned-yaml';
import { checkYaml } from '@waymark/positioned-yaml';
import type { AttestationRule } from './attestation-rule.ts';
import { asksForReadings, isTimed } from './demand.ts';
import { newPatterns, newStoredPatterns, type Patterns } from './expression/patterns.ts';
import { allReads } from './expression/reads.ts';
import { expressionFindings } from './expression-findings.ts';
import { PolicyDocument } from './policy-document.ts';
import type { ControlMention, Policy, Rule } from './rule.ts';
import { rulesOf } from './rules-of.ts';

export type ParsedPolicy = { readonly policy: Policy } | { readonly problems: readonly Problem[] };

export const POLICY_MAX_BYTES = 64 * 1024;

/** Parses the YAML of a policy: returns its compiled rules, or all its mistakes. */
export function parsePolicy(text: string): ParsedPolicy {
  return parseWith(text, newPatterns());
}

/** The same for a policy that was accepted before. Its patterns may exceed the limits of a new one. */
export function parseStoredPolicy(text: string): ParsedPolicy {
  return parseWith(text, newStoredPatterns());
}

function parseWith(text: string, patterns: Patterns): ParsedPolicy {
  const checked = checkYaml(text, PolicyDocument, {
    noun: 'policy',
    smallest: '_schema: https://example.com/policy/v1',
    maxBytes: POLICY_MAX_BYTES,
    explainSyntax,
    alsoCheck: (value) => expressionFindings(value, patterns),
  });
  if (!checked.ok) return { problems: checked.problems };
  const rules = rulesOf(checked.value, patterns);
  const conditions = rules.flatMap(conditionsOf);
  return {
    policy: {
      document: checked.value,
      rules,
      reads: allReads(conditions.map((condition) => condition.reads)),
      searches: conditions.flatMap((condition) => condition.searches),
      controls: controlsOf(checked),
      isTimed: rules.some((rule) => rule.kind === 'attestation' && rule.demands.some(isTimed)),
      asksForReadings: rules.some((rule) => rule.kind === 'attestation' && rule.demands.some(asksForReadings)),
    },
  };
}

/** YAML has its own rules for braces, colons and quotes; usually an expression lacks its quotes. */
function explainSyntax(line: string, column: number): string | undefined {
  const start = line.lastIndexOf('{{', column + 1);
  const end = line.indexOf('}}', start);
  if (start === -1 || end === -1 || column > end + 3) return undefined;
  const before = line[start - (line[start - 1] === '$' ? 2 : 1)];
  return before === '"' || before === "'"
    ? `The quotes do not match; quote the expression with ' and texts in it with ", as in if: '\${{ flow.name == "web" }}'.`
    : `Quote the expression, as in if: '\${{ flow.name == "web" }}'.`;
}

function conditionsOf(rule: Rule) {
  if (rule.kind !== 'attestation') return rule.exceptions;
  return rule.if ? [rule.if] : [];
}

function controlsOf({ value, placeOf }: Extract<Checked<PolicyDocument>, { ok: true }>): ControlMention[] {
  return value.artifacts.attestations.flatMap(({ for_control: identifier }: AttestationRule, index) => {
    if (identifier === undefined) return [];
    const path = ['artifacts', 'attestations', index, 'for_control'];
    return [{ identifier, ...placeOf(path), path: path.join('.') }];
  });
}
