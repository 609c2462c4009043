import { didYouMean, quoted } from '@waymark/positioned-yaml';
import type { CallNode, ComparisonNode, Expression, ListNode, NameNode } from './ast.ts';
import type { Fault } from './fault.ts';
import type { Patterns } from './patterns.ts';
import { newPatterns } from './patterns.ts';
import { referenceOf } from './reference.ts';
import { unknownNameMessage } from './unknown-name.ts';

/** `thing` is a flow or an environment as a whole; the kind of an invalid node is unknown. */
type Kind = 'condition' | 'text' | 'number' | 'list' | 'thing' | 'unknown';

interface Checker {
  readonly patterns: Patterns;
  readonly faults: Fault[];
}

const KINDS_IN_WORDS: Record<Exclude<Kind, 'unknown'>, string> = {
  condition: 'a condition',
  text: 'a text',
  number: 'a number',
  list: 'a list',
  thing: 'more than one value',
};
const FUNCTIONS = ['exists', 'matches'];

/** Finds everything that keeps an expression from being true or false. */
export function checkExpression(expression: Expression, patterns = newPatterns()): Fault[] {
  const checker: Checker = { patterns, faults: [] };
  wantCondition(checker, expression);
  return checker.faults.toSorted((a, b) => a.at - b.at);
}

function wantCondition(checker: Checker, node: Expression): void {
  const kind = kindOf(checker, node);
  if (kind === 'condition' || kind === 'unknown') return;
  const start = startOf(node);
  refuse(checker, start, `${subjectOf(node)} is ${KINDS_IN_WORDS[kind]}, not true or false; ${adviceFor(node)}.`);
}

function kindOf(checker: Checker, node: Expression): Kind {
  switch (node.kind) {
    case 'text':
    case 'number':
      return node.kind;
    case 'list':
      return kindOfList(checker, node);
    case 'name':
      return kindOfName(checker, node);
    case 'call':
      return kindOfCall(checker, node);
    case 'comparison':
      return kindOfComparison(checker, node);
    case 'not':
      wantCondition(checker, node.operand);
      return 'condition';
    case 'and':
    case 'or':
      for (const operand of node.operands) wantCondition(checker, operand);
      return 'condition';
  }
}

function kindOfList(checker: Checker, { items }: ListNode): Kind {
  for (const item of items) wantValue(checker, item, 'A list contains texts and numbers');
  return 'list';
}

function kindOfName(checker: Checker, { name, at }: NameNode): Kind {
  const reference = referenceOf(name);
  if (!reference) return refuse(checker, at, unknownNameMessage(name));
  return reference.of === 'flow' || reference.of === 'environment' ? 'thing' : 'text';
}

function kindOfComparison(checker: Checker, { operator, left, right, at }: ComparisonNode): Kind {
  const rule = `"${operator}" compares texts and numbers`;
  wantValue(checker, left, rule);
  if (operator !== 'in') {
    wantValue(checker, right, rule);
    return 'condition';
  }
  const kind = kindOf(checker, right);
  if (kind !== 'list' && kind !== 'unknown') {
    refuse(checker, at, '"in" needs a list after it, as in: flow.name in ["web", "api"].');
  }
  return 'condition';
}

function wantValue(checker: Checker, node: Expression, rule: string): void {
  const kind = kindOf(checker, node);
  if (kind === 'text' || kind === 'number' || kind === 'unknown') return;
  const at = startOf(node);
  if (kind === 'thing') {
    refuse(checker, at, `${rule}, but ${subjectOf(node)} is more than one value; ${adviceFor(node)}.`);
  } else {
    refuse(checker, at, `${rule}, not ${kind === 'list' ? 'a list; test for a member with "in"' : 'conditions'}.`);
  }
}

function kindOfCall(checker: Checker, call: CallNode): Kind {
  if (call.name === 'exists') return kindOfExists(checker, call);
  if (call.name === 'matches') return kindOfMatches(checker, call);
  const message = `There is no function ${quoted(call.name)}; there are exists(name) and matches(text, "pattern").`;
  return refuse(checker, call.at, message + didYouMean(call.name, FUNCTIONS));
}

function kindOfExists(checker: Checker, { parameters, at }: CallNode): Kind {
  const [subject] = parameters;
  if (!subject || parameters.length !== 1) {
    refuse(checker, at, '"exists" takes one name, as in: exists(flow.tags.risk).');
  } else if (subject.kind === 'name') {
    kindOfName(checker, subject);
  } else {
    refuse(checker, startOf(subject), '"exists" takes the name of what may be missing, as in: exists(flow.tags.risk).');
  }
  return 'condition';
}

function kindOfMatches(checker: Checker, { parameters, at }: CallNode): Kind {
  const [text, pattern] = parameters;
  if (!text || !pattern || parameters.length !== 2) {
    refuse(checker, at, '"matches" takes a text and a pattern, as in: matches(artifact.name, "^vendor/").');
    return 'condition';
  }
  const kind = kindOf(checker, text);
  if (kind !== 'text' && kind !== 'unknown') {
    refuse(checker, startOf(text), `"matches" looks for a pattern in a text, but this is ${KINDS_IN_WORDS[kind]}.`);
  }
  checkPattern(checker, pattern);
  return 'condition';
}

function checkPattern(checker: Checker, pattern: Expression): void {
  if (pattern.kind !== 'text') {
    refuse(checker, startOf(pattern), 'The pattern must be written out, in quotes.');
    return;
  }
  const compiled = checker.patterns(pattern.value);
  if (!compiled.ok) refuse(checker, pattern.at, compiled.message);
}

function refuse({ faults }: Checker, at: number, message: string): 'unknown' {
  faults.push({ at, message });
  return 'unknown';
}

function startOf(node: Expression): number {
  if (node.kind === 'comparison') return startOf(node.left);
  const [first] = node.kind === 'and' || node.kind === 'or' ? node.operands : [];
  return first ? startOf(first) : node.at;
}

function subjectOf(node: Expression): string {
  return node.kind === 'name' ? quoted(node.name) : 'This';
}

function adviceFor(node: Expression): string {
  if (node.kind === 'list') return 'test for a member, as in: flow.name in ["web", "api"]';
  if (node.kind !== 'name') return 'compare it with something';
  const reference = referenceOf(node.name);
  if (reference?.of === 'flow' || reference?.of === 'environment') {
    return `use exists(${node.name}), or compare ${node.name}.name`;
  }
  return `compare it, as in: ${node.name} == "…"`;
}
