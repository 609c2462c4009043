import type { PatternSearch } from '../rule.ts';
import type { Expression } from './ast.ts';
import { textReader } from './compile-expression.ts';
import type { Patterns } from './patterns.ts';

/** All `matches` of an expression that was checked. */
export function searchesIn(node: Expression, patterns: Patterns): PatternSearch[] {
  switch (node.kind) {
    case 'not':
      return searchesIn(node.operand, patterns);
    case 'and':
    case 'or':
      return node.operands.flatMap((operand) => searchesIn(operand, patterns));
    case 'call': {
      const [subject, pattern] = node.parameters;
      if (node.name !== 'matches' || pattern?.kind !== 'text' || !subject) return [];
      const compiled = patterns(pattern.value);
      if (!compiled.ok) return [];
      const isOfFlow = subject.kind === 'name' && subject.name.startsWith('flow.');
      return [{ pattern: compiled.pattern, readText: textReader(subject), isOfFlow }];
    }
    default:
      return [];
  }
}
