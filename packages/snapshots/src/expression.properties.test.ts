import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { EARLIEST } from './earlier.ts';
import type { Expression } from './expression.ts';
import { parseEventBound } from './parse-event-bound.ts';
import { parseExpression } from './parse-expression.ts';
import { parseInterval } from './parse-interval.ts';
import { parseSnappish } from './parse-snappish.ts';
import { indexOf, momentOf } from './resolve.ts';

const LARGEST = 2_147_483_647;
const RUNS = { numRuns: 1000 };

const positive = fc.integer({ min: 1, max: LARGEST });
const times = fc
  .date({ min: EARLIEST, max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((time) => new Date(Math.floor(time.getTime() / 1000) * 1000));
const expressions: fc.Arbitrary<Expression> = fc.oneof(
  fc.record({
    kind: fc.constant('index' as const),
    index: fc.oneof(
      positive,
      positive.map((n) => -n),
    ),
  }),
  fc.record({ kind: fc.constant('behind' as const), count: fc.integer({ min: 0, max: LARGEST }) }),
  fc.record({ kind: fc.constant('moment' as const), at: times }),
  fc.record({
    kind: fc.constant('ago' as const),
    amount: positive,
    unit: fc.constantFrom('hours' as const, 'days' as const, 'weeks' as const, 'months' as const),
  }),
  fc.record({ kind: fc.constant('now' as const) }),
);
const environments = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9.\-_]{0,30}$/);

// Pieces of the grammar in any order come closer to it than arbitrary characters do.
const pieces = fc.constantFrom(
  '#',
  '~',
  '@{',
  '}',
  '-',
  '.',
  '..',
  'NOW',
  'now',
  '.ago',
  '.days',
  '0',
  '7',
  '2026',
  'h',
  'prod',
  ' ',
);
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 450 }),
  fc.array(pieces, { maxLength: 8 }).map((some) => some.join('')),
);

function print(expression: Expression): string {
  switch (expression.kind) {
    case 'index':
      return `#${expression.index}`;
    case 'behind':
      return `~${expression.count}`;
    case 'moment':
      return `@{${expression.at.toISOString().slice(0, 19)}}`;
    case 'ago':
      return `@{${expression.amount}.${expression.unit}.ago}`;
    case 'now':
      return '@{now}';
  }
}

function monthsOf(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

it('an expression that is printed is read as the same', () => {
  const property = fc.property(expressions, environments, (expression, env) => {
    expect(parseExpression(print(expression))).toEqual({ ok: true, expression });
    expect(parseSnappish(env + print(expression))).toEqual({ ok: true, env, expression });
  });
  fc.assert(property, RUNS);
});

it('any text is understood or refused with a problem', () => {
  const property = fc.property(texts, fc.nat(20), times, (text, latest, now) => {
    const parsed = [
      parseExpression(text),
      parseSnappish(text),
      parseInterval(text, latest),
      parseEventBound(text, now),
    ];
    for (const one of parsed) {
      if (one.ok) continue;
      expect(one.problem).toMatch(/^(?:is|has|begins) (?:.*; write |none of the forms )/s);
      expect(one.problem.length).toBeLessThan(250);
      expect(one.problem.isWellFormed()).toBe(true);
    }
  });
  fc.assert(property, RUNS);
});

it('an expression that is understood, and printed, means the same', () => {
  const property = fc.property(texts, (text) => {
    const parsed = parseExpression(text);
    if (parsed.ok) expect(parseExpression(print(parsed.expression))).toEqual(parsed);
  });
  fc.assert(property, RUNS);
});

it('an interval lies within the snapshots', () => {
  const bounds = fc.oneof(
    fc.integer({ min: -30, max: 30 }).map(String),
    fc.nat(30).map((count) => `~${count}`),
    fc.constantFrom('NOW', ''),
  );
  const property = fc.property(bounds, bounds, fc.integer({ min: 1, max: 20 }), (from, to, latest) => {
    const parsed = parseInterval(`${from}..${to}`, latest);
    if (!parsed.ok || parsed.to === 0) return;
    expect(parsed.from).toBeGreaterThanOrEqual(1);
    expect(parsed.to).toBeGreaterThanOrEqual(parsed.from);
    expect(parsed.to).toBeLessThanOrEqual(latest);
  });
  fc.assert(property, RUNS);
});

it('counting from the latest and behind the latest agree', () => {
  const property = fc.property(fc.nat(LARGEST - 1), fc.nat(LARGEST), (count, latest) => {
    const behind = indexOf({ kind: 'behind', count }, latest);
    expect(indexOf({ kind: 'index', index: -(count + 1) }, latest)).toBe(behind);
    expect(behind).toBe(latest - count);
  });
  fc.assert(property, RUNS);
});

// So few months that nothing leads before the year 1.
const recent = fc.date({
  min: new Date('1900-01-01T00:00:00Z'),
  max: new Date('2400-01-01T00:00:00Z'),
  noInvalidDate: true,
});
const someMonths = fc.integer({ min: 1, max: 1800 * 12 });

it('months ago is that many calendar months back, at the same time of day, on no later day', () => {
  const property = fc.property(recent, someMonths, (now, amount) => {
    const then = momentOf({ kind: 'ago', amount, unit: 'months' }, now);
    expect(monthsOf(now) - monthsOf(then)).toBe(amount);
    expect(then.getUTCDate()).toBeLessThanOrEqual(now.getUTCDate());
    expect(then.toISOString().slice(11)).toBe(now.toISOString().slice(11));
    if (then.getUTCDate() === now.getUTCDate()) return;
    const dayAfter = new Date(then.getTime() + 86_400_000);
    expect(dayAfter.getUTCDate()).toBe(1);
  });
  fc.assert(property, RUNS);
});

// In a shorter month several days fall on its last one, each at its own time of day, so whole days are compared.
it('a later day never leads to an earlier one', () => {
  const property = fc.property(recent, fc.nat(70), someMonths, (now, days, amount) => {
    const today = new Date(Math.floor(now.getTime() / 86_400_000) * 86_400_000);
    const later = new Date(today.getTime() + days * 86_400_000);
    const [then, thenLater] = [today, later].map((time) => momentOf({ kind: 'ago', amount, unit: 'months' }, time));
    expect(thenLater?.getTime()).toBeGreaterThanOrEqual(then?.getTime() ?? Number.NaN);
  });
  fc.assert(property, RUNS);
});

it('no time ago lies before the year 1 or after now', () => {
  const property = fc.property(expressions, times, (expression, now) => {
    if (expression.kind !== 'ago') return;
    const then = momentOf(expression, now).getTime();
    expect(then).toBeGreaterThanOrEqual(EARLIEST.getTime());
    expect(then).toBeLessThanOrEqual(now.getTime());
  });
  fc.assert(property, RUNS);
});
