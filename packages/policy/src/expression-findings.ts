import type { Finding } from '@waymark/positioned-yaml';
import { checkExpression } from './expression/check-expression.ts';
import { ExpressionText } from './expression/expression-text.ts';
import { parseExpression } from './expression/parse-expression.ts';
import type { Patterns } from './expression/patterns.ts';

interface Located {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** Errors inside of the expressions of a document, which may have other mistakes. */
export function expressionFindings(document: unknown, patterns: Patterns): Finding[] {
  return expressionsIn(document, []).flatMap(({ path, text }) => {
    const parsed = parseExpression(text);
    const faults = parsed.ok ? checkExpression(parsed.expression, patterns) : [parsed.fault];
    return faults.map((fault) => ({ path, ...fault }));
  });
}

/** Every "if" that looks like an expression; the schema refuses others. */
function expressionsIn(value: unknown, path: readonly PropertyKey[]): Located[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    const here = [...path, key];
    const text = key === 'if' ? ExpressionText.safeParse(member).data : undefined;
    return text === undefined ? expressionsIn(member, here) : [{ path: here, text }];
  });
}
