import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scope } from '../rule.ts';
import type { Expression } from './ast.ts';
import { COMPARISONS } from './ast.ts';
import { checkExpression } from './check-expression.ts';
import { compileExpression } from './compile-expression.ts';
import { formatExpression } from './format-expression.ts';
import { NO_ENVIRONMENT, NO_PROVENANCE, WEB_IN_PROD } from './given-scope.ts';
import { parseExpression } from './parse-expression.ts';
import { readsOf } from './reads.ts';

const RUNS = { numRuns: 1000 };
const at = fc.constant(0);

const texts = fc.record({
  kind: fc.constant('text' as const),
  value: fc.string({ unit: 'binary', maxLength: 12 }),
  at,
});
const numbers = fc.record({
  kind: fc.constant('number' as const),
  digits: fc.stringMatching(/^-?[0-9]{1,7}(\.[0-9]{1,7})?$/),
  at,
});
const words = fc
  .stringMatching(/^[a-zA-Z_][a-zA-Z0-9_.~-]{0,8}$/)
  .filter((word) => !['and', 'or', 'not', 'in'].includes(word));
const names = fc.record({ kind: fc.constant('name' as const), name: words, at });

/** Any tree that can be written, whether it means anything or not. */
const { expression: trees } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    names,
    texts,
    numbers,
    fc.record({ kind: fc.constant('list' as const), items: fc.array(tie('expression'), { maxLength: 3 }), at }),
    fc.record({
      kind: fc.constant('call' as const),
      name: words,
      parameters: fc.array(tie('expression'), { maxLength: 3 }),
      at,
    }),
    fc.record({ kind: fc.constant('not' as const), operand: tie('expression'), at }),
    fc.record({
      kind: fc.constant('comparison' as const),
      operator: fc.constantFrom(...COMPARISONS),
      left: tie('expression'),
      right: tie('expression'),
      at,
    }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      operands: fc.array(tie('expression'), { minLength: 2, maxLength: 3 }),
      at,
    }),
  ),
}));

const NAMES = ['flow.name', 'flow.tags.risk', 'flow.tags.tier', 'artifact.name', 'environment.tags.replicas'];
const values = fc.constantFrom(...NAMES, '"high"', '"2"', '2', '12', '"web"');
const conditions = fc.oneof(
  fc.tuple(values, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), values).map((parts) => parts.join(' ')),
  fc.tuple(values, fc.array(values, { maxLength: 3 })).map(([one, all]) => `${one} in [${all.join(', ')}]`),
  fc.constantFrom(...NAMES).map((name) => `exists(${name})`),
  fc.constantFrom(...NAMES).map((name) => `matches(${name}, "^[hw]")`),
);
const scopes = fc.constantFrom(WEB_IN_PROD, NO_PROVENANCE, NO_ENVIRONMENT);

const pieces = fc.constantFrom(
  ...[
    'flow',
    '.',
    'flow.name',
    'exists',
    'matches',
    '(',
    ')',
    '[',
    ']',
    ',',
    '==',
    '!=',
    '<',
    'and',
    'or',
    'not',
    'in',
  ],
  ...['"', "'", '\\', '"a"', '1', '-', '-2', '.5', ' ', '\n', '}}', '${{', '\0', '\ud800', 'é', '__proto__', '#'],
);
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.array(pieces, { maxLength: 30 }).map((some) => some.join('')),
  fc.array(pieces, { maxLength: 30 }).map((some) => some.join(' ')),
);

it('an expression that is printed is read as the same', () => {
  const property = fc.property(trees, (expression) => {
    const printed = formatExpression(expression);
    fc.pre(printed.length <= 4096);
    const parsed = parseExpression(printed);
    expect(parsed.ok ? placeless(parsed.expression) : parsed).toEqual(placeless(expression));
  });
  fc.assert(property, RUNS);
});

it('any text is understood or refused at a place within it', () => {
  const property = fc.property(anyText, fc.boolean(), (inner, isWhole) => {
    const text = isWhole ? `\${{ ${inner} }}` : inner;
    const parsed = parseExpression(text);
    const faults = parsed.ok ? checkExpression(parsed.expression) : [parsed.fault];
    for (const { at: place, message } of faults) {
      expect(message).toMatch(/^[A-Z"].*[.?"']$/s);
      expect(message.length).toBeLessThan(400);
      expect(place).toBeGreaterThanOrEqual(0);
      expect(place).toBeLessThanOrEqual(text.length);
    }
  });
  fc.assert(property, { numRuns: 5000 });
});

it('an expression that is understood and printed means the same', () => {
  const property = fc.property(anyText, (inner) => {
    const parsed = parseExpression(`\${{ ${inner} }}`);
    if (!parsed.ok) return;
    const again = parseExpression(formatExpression(parsed.expression));
    expect(again.ok && placeless(again.expression)).toEqual(placeless(parsed.expression));
  });
  fc.assert(property, RUNS);
});

it('whatever passes the check is true or false of everything', () => {
  const property = fc.property(trees, scopes, (expression, scope) => {
    if (checkExpression(expression).length === 0) expect(typeof compileExpression(expression)(scope)).toBe('boolean');
  });
  fc.assert(property, RUNS);
});

describe('the laws of logic hold', () => {
  it.each<[string, (a: string, b: string) => [string, string]]>([
    ['not not a is a', (a) => [`not not ${a}`, a]],
    ['a and b is b and a', (a, b) => [`${a} and ${b}`, `${b} and ${a}`]],
    ['not (a and b) is not a or not b', (a, b) => [`not (${a} and ${b})`, `not ${a} or not ${b}`]],
    ['not (a or b) is not a and not b', (a, b) => [`not (${a} or ${b})`, `not ${a} and not ${b}`]],
    ['a and b or a is a', (a, b) => [`${a} and ${b} or ${a}`, a]],
  ])('%s', (_, law) => {
    const property = fc.property(conditions, conditions, scopes, (a, b, scope) => {
      const [left, right] = law(a, b);
      expect(evaluate(left, scope)).toBe(evaluate(right, scope));
    });
    fc.assert(property, RUNS);
  });

  it('!= is the opposite of ==, and a list is a row of ==', () => {
    const property = fc.property(values, values, values, scopes, (one, a, b, scope) => {
      expect(evaluate(`${one} != ${a}`, scope)).toBe(!evaluate(`${one} == ${a}`, scope));
      expect(evaluate(`${one} in [${a}, ${b}]`, scope)).toBe(evaluate(`${one} == ${a} or ${one} == ${b}`, scope));
    });
    fc.assert(property, RUNS);
  });
});

it('what an expression does not read does not change what it says', () => {
  const property = fc.property(conditions, conditions, scopes, (a, b, scope) => {
    const expression = treeOf(`${a} and not ${b}`);
    const reads = readsOf(expression);
    const holds = compileExpression(expression);
    const only = (tags: Readonly<Record<string, string>>, keys: readonly string[]) =>
      Object.fromEntries(Object.entries(tags).filter(([key]) => keys.includes(key)));
    const blank: Scope = {
      flow: scope.flow && {
        name: reads.flowName ? scope.flow.name : '?',
        tags: only(scope.flow.tags, reads.flowTags),
      },
      artifact: { name: reads.artifactName ? scope.artifact.name : '?', fingerprint: '?' },
      environment: scope.environment && { name: '?', tags: only(scope.environment.tags, reads.environmentTags) },
    };
    expect(holds(blank)).toBe(holds(scope));
  });
  fc.assert(property, RUNS);
});

/** Backtracking would take longer than the universe is old; twice the text may take four times as long at the most. */
describe('time grows with the text and no faster', () => {
  it.each(['(a+)+$', '(a|aa)+$', '(a|a)*b', '(.*a){20}b', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y', '.*.*.*.*=.*'])(
    '%s',
    (pattern) => {
      const holds = compileExpression(treeOf(`matches(artifact.name, "${pattern}")`));
      const costOf = (length: number) => {
        const scope = { ...WEB_IN_PROD, artifact: { name: `${'a'.repeat(length)}!`, fingerprint: '' } };
        return Math.min(...Array.from({ length: 5 }, () => processorTime(() => holds(scope))));
      };
      costOf(1000);
      const [small, large] = [costOf(50_000), costOf(100_000)];
      expect(large).toBeLessThan(4 * small + 5);
    },
  );
});

/** Milliseconds of this thread: a clock would also count what else the machine does. */
function processorTime(work: () => void): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

function treeOf(expression: string): Expression {
  const parsed = parseExpression(`\${{ ${expression} }}`);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return parsed.expression;
}

function evaluate(expression: string, scope: Scope): boolean {
  return compileExpression(treeOf(expression))(scope);
}

function placeless(expression: Expression): unknown {
  return JSON.parse(JSON.stringify(expression, (key, value: unknown) => (key === 'at' ? undefined : value)));
}
