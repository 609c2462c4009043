import type { Expression } from './ast.ts';

/** The text of an expression, which reads back as the same expression. */
export function formatExpression(expression: Expression): string {
  return `\${{ ${print(expression)} }}`;
}

function print(node: Expression): string {
  switch (node.kind) {
    case 'text':
      return `"${node.value.replaceAll(/[\\"]/g, '\\$&')}"`;
    case 'number':
      return node.digits;
    case 'name':
      return node.name;
    case 'list':
      return `[${node.items.map(print).join(', ')}]`;
    case 'call':
      return `${node.name}(${node.parameters.map(print).join(', ')})`;
    case 'comparison':
      return `${operand(node.left)} ${node.operator} ${operand(node.right)}`;
    case 'not':
      return `not ${isChain(node.operand) ? inParentheses(node.operand) : print(node.operand)}`;
    case 'and':
      return node.operands.map((part) => (isChain(part) ? inParentheses(part) : print(part))).join(' and ');
    case 'or':
      return node.operands.map((part) => (part.kind === 'or' ? inParentheses(part) : print(part))).join(' or ');
  }
}

function operand(node: Expression): string {
  return isChain(node) || node.kind === 'not' || node.kind === 'comparison' ? inParentheses(node) : print(node);
}

function isChain({ kind }: Expression): boolean {
  return kind === 'and' || kind === 'or';
}

function inParentheses(node: Expression): string {
  return `(${print(node)})`;
}
