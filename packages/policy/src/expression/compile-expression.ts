import type { Scope } from '../rule.ts';
import type { CallNode, ComparisonNode, Expression } from './ast.ts';
import type { Value } from './compare.ts';
import { comparison } from './compare.ts';
import type { Patterns } from './patterns.ts';
import { newPatterns } from './patterns.ts';
import type { Reference } from './reference.ts';
import { referenceOf } from './reference.ts';

type Condition = (scope: Scope) => boolean;
type Read = (scope: Scope) => Value;

/** A function for an expression that was checked. It has no state: the same scope gets the same answer. */
export function compileExpression(node: Expression, patterns = newPatterns()): Condition {
  const compile = (part: Expression) => compileExpression(part, patterns);
  switch (node.kind) {
    case 'not':
      return negation(compile(node.operand));
    case 'and':
      return node.operands.map(compile).reduce(both);
    case 'or':
      return node.operands.map(compile).reduce(either);
    case 'comparison':
      return node.operator === 'in' ? membership(node) : compared(node.operator, node.left, node.right);
    case 'call':
      return node.name === 'exists' ? existence(node) : match(node, patterns);
    default:
      return unchecked(node);
  }
}

function negation(condition: Condition): Condition {
  return (scope) => !condition(scope);
}

function both(first: Condition, second: Condition): Condition {
  return (scope) => first(scope) && second(scope);
}

function either(first: Condition, second: Condition): Condition {
  return (scope) => first(scope) || second(scope);
}

function compared(operator: Exclude<ComparisonNode['operator'], 'in'>, left: Expression, right: Expression): Condition {
  const compare = comparison(operator);
  const readLeft = reading(left);
  const readRight = reading(right);
  const tags = { left: isTag(left), right: isTag(right) };
  return (scope) => compare(readLeft(scope), readRight(scope), tags);
}

function membership({ left, right }: ComparisonNode): Condition {
  if (right.kind !== 'list') return unchecked(right);
  return right.items.map((item) => compared('==', left, item)).reduce(either, () => false);
}

function existence({ parameters: [subject] }: CallNode): Condition {
  if (subject?.kind !== 'name') return unchecked(subject);
  const reference = referenceOf(subject.name);
  if (!reference) return unchecked(subject);
  if (reference.of === 'flow') return ({ flow }) => flow !== null;
  if (reference.of === 'environment') return ({ environment }) => environment !== null;
  const read = reading(subject);
  return (scope) => read(scope) !== null;
}

function match({ parameters: [text, pattern] }: CallNode, patterns: Patterns): Condition {
  const compiled = pattern?.kind === 'text' ? patterns(pattern.value) : undefined;
  if (!text || !compiled?.ok) return unchecked(pattern);
  const sought = compiled.pattern;
  const readText = textReader(text);
  return (scope) => {
    const value = readText(scope);
    if (value === null) return false;
    return scope.matches?.get(sought)?.get(value) ?? sought.isFoundIn(value);
  };
}

export function textReader(node: Expression): (scope: Scope) => string | null {
  const read = reading(node);
  return (scope) => {
    const value = read(scope);
    return typeof value === 'string' ? value : null;
  };
}

function reading(node: Expression): Read {
  switch (node.kind) {
    case 'text':
      return () => node.value;
    case 'number': {
      const value = Number(node.digits);
      return () => value;
    }
    case 'name':
      return readingOf(referenceOf(node.name)) ?? unchecked(node);
    default:
      return unchecked(node);
  }
}

function readingOf(reference: Reference | undefined): Read | undefined {
  switch (reference?.of) {
    case 'flow.name':
      return ({ flow }) => flow?.name ?? null;
    case 'environment.name':
      return ({ environment }) => environment?.name ?? null;
    case 'artifact.name':
      return ({ artifact }) => artifact.name;
    case 'artifact.fingerprint':
      return ({ artifact }) => artifact.fingerprint;
    case 'flow.tags':
      return ({ flow }) => tagOf(flow, reference.key);
    case 'environment.tags':
      return ({ environment }) => tagOf(environment, reference.key);
    default:
      return undefined;
  }
}

/** Own tags only: every object has a `constructor`, which is not a tag. */
function tagOf(subject: Scope['flow'], key: string): string | null {
  return subject !== null && Object.hasOwn(subject.tags, key) ? (subject.tags[key] ?? null) : null;
}

function isTag(node: Expression): boolean {
  const reference = node.kind === 'name' ? referenceOf(node.name) : undefined;
  return reference !== undefined && 'key' in reference;
}

function unchecked(node: Expression | undefined): never {
  throw new Error(`An expression was compiled that had not been checked: ${JSON.stringify(node)}`);
}
