import type { Comparison, Expression } from './expression/ast.ts';
import { parseExpression } from './expression/parse-expression.ts';

const MAX_ITEMS = 3;

const COMPARED: Readonly<Record<Exclude<Comparison, 'in'>, string>> = {
  '==': 'is',
  '!=': 'is not',
  '<': 'is less than',
  '>': 'is more than',
  '<=': 'is at most',
  '>=': 'is at least',
};

/**
 * Returns a condition as it follows "if", such as "the artifact has provenance". What has no short sentence stays as it
 * was written, without the braces.
 */
export function conditionInWords(text: string): string {
  const parsed = parseExpression(text);
  return (parsed.ok ? sentence(parsed.expression) : null) ?? text.replace(/^\s*\$\{\{\s*|\s*\}\}\s*$/g, '');
}

function sentence(node: Expression): string | null {
  switch (node.kind) {
    case 'and':
    case 'or': {
      const parts = node.operands.map((part) => (part.kind === 'and' || part.kind === 'or' ? null : sentence(part)));
      return parts.includes(null) ? null : parts.join(` ${node.kind} `);
    }
    case 'not':
      return existing(node.operand, false);
    case 'call':
      return existing(node, true) ?? matching(node);
    case 'comparison':
      return compared(node.left, node.operator, node.right);
    default:
      return null;
  }
}

function existing(node: Expression, isThere: boolean): string | null {
  const [parameter] = node.kind === 'call' && node.name === 'exists' ? node.parameters : [];
  if (parameter?.kind !== 'name') return null;
  if (parameter.name === 'flow') return `the artifact has ${isThere ? '' : 'no '}provenance`;
  const [, owner, tag] = /^(flow|environment)\.tags\.(.+)$/.exec(parameter.name) ?? [];
  return tag === undefined ? null : `the ${owner} has ${isThere ? '' : 'no '}tag '${tag}'`;
}

function matching({ name, parameters: [subject, pattern] }: Extract<Expression, { kind: 'call' }>): string | null {
  if (name !== 'matches' || !subject || pattern?.kind !== 'text') return null;
  const what = subjectOf(subject);
  return what === null ? null : `${what} matches '${pattern.value}'`;
}

function compared(left: Expression, operator: Comparison, right: Expression): string | null {
  const subject = subjectOf(left);
  const value = operator === 'in' ? itemsOf(right) : literalOf(right);
  if (subject === null || value === null) return null;
  return `${subject} ${operator === 'in' ? 'is' : COMPARED[operator]} ${value}`;
}

function subjectOf(node: Expression): string | null {
  if (node.kind !== 'name') return null;
  if (node.name === 'artifact.fingerprint') return "the artifact's fingerprint";
  const [, owner, rest = ''] = /^(flow|artifact|environment)\.(.+)$/.exec(node.name) ?? [];
  if (rest === 'name') return owner === 'artifact' ? "the artifact's name" : `the ${owner}`;
  return rest.startsWith('tags.') ? `tag '${rest.slice('tags.'.length)}' of the ${owner}` : null;
}

function literalOf(node: Expression): string | null {
  if (node.kind === 'number') return node.digits;
  return node.kind === 'text' ? `'${node.value}'` : null;
}

function itemsOf(node: Expression): string | null {
  if (node.kind !== 'list' || node.items.length === 0 || node.items.length > MAX_ITEMS) return null;
  const values = node.items.map(literalOf);
  if (values.includes(null)) return null;
  return values.length === 1 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
