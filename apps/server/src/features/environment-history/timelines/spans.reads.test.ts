import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clipped,
  evenly,
  merged,
  overlaid,
  type Span,
  type StateSpan,
  touched,
  united,
  weighed,
  withoutGaps,
} from './spans.reads.ts';

const span = (from: number, until: number): Span => ({ from, until });
const is = (state: string, from: number, until: number): StateSpan<string> => ({ state, from, until });

const LAST = 60;
/** Whether spans cover each moment: the simple form of spans. */
function momentsOf(spans: readonly Span[]): boolean[] {
  return Array.from({ length: LAST }, (_, at) => spans.some(({ from, until }) => from <= at && at < until));
}
function statesOf(spans: readonly StateSpan<string>[]): (string | undefined)[] {
  return Array.from({ length: LAST }, (_, at) => spans.find(({ from, until }) => from <= at && at < until)?.state);
}
function isInOrder(spans: readonly Span[]): boolean {
  return spans.every(({ from, until }, i) => from < until && (spans[i - 1]?.until ?? 0) <= from);
}

const anySpans = fc
  .uniqueArray(fc.integer({ min: 0, max: LAST }), { maxLength: 16 })
  .map((ends) => ends.toSorted((a, b) => a - b))
  .chain((ends) =>
    fc
      .record({
        states: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 16, maxLength: 16 }),
        isPresent: fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }),
      })
      .map(({ states, isPresent }) =>
        ends.slice(1).flatMap((until, i) => (isPresent[i] ? [is(states[i] ?? 'a', ends[i] ?? 0, until)] : [])),
      ),
  );
const anyWindow = fc.tuple(fc.nat(LAST), fc.nat(LAST)).map(([a, b]) => span(Math.min(a, b), Math.max(a, b)));

describe('clipped', () => {
  it.each<[string, Span[], Span, Span[]]>([
    ['nothing', [], span(0, 10), []],
    ['what lies inside', [span(2, 4)], span(0, 10), [span(2, 4)]],
    ['what reaches over both ends', [span(0, 100)], span(5, 10), [span(5, 10)]],
    ['what touches the window only', [span(0, 5), span(10, 20)], span(5, 10), []],
    ['an empty window', [span(0, 20)], span(5, 5), []],
  ])('%s', (_, spans, window, expected) => {
    expect(clipped(spans, window)).toEqual(expected);
  });

  it('leaves what is in the spans and in the window', () => {
    fc.assert(
      fc.property(anySpans, anyWindow, (spans, window) => {
        const result = clipped(spans, window);
        expect(isInOrder(result)).toBe(true);
        const inside = momentsOf([window]);
        expect(statesOf(result)).toEqual(statesOf(spans).map((state, at) => (inside[at] ? state : undefined)));
      }),
    );
  });
});

describe('merged', () => {
  it.each<[string, StateSpan<string>[], StateSpan<string>[]]>([
    ['the same twice', [is('a', 0, 2), is('a', 2, 5)], [is('a', 0, 5)]],
    [
      'something else between',
      [is('a', 0, 2), is('b', 2, 3), is('a', 3, 5)],
      [is('a', 0, 2), is('b', 2, 3), is('a', 3, 5)],
    ],
    ['the same with nothing between', [is('a', 0, 2), is('a', 3, 5)], [is('a', 0, 2), is('a', 3, 5)]],
  ])('%s', (_, spans, expected) => {
    expect(merged(spans)).toEqual(expected);
  });

  it('covers the same with no two spans that could be one', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const result = merged(spans);
        expect(statesOf(result)).toEqual(statesOf(spans));
        expect(merged(result)).toEqual(result);
      }),
    );
  });
});

describe('united', () => {
  it.each<[string, Span[], Span[]]>([
    ['in any order', [span(5, 9), span(0, 2)], [span(0, 2), span(5, 9)]],
    ['overlapping', [span(0, 4), span(2, 3), span(3, 8)], [span(0, 8)]],
    ['touching', [span(0, 4), span(4, 8)], [span(0, 8)]],
    ['without length', [span(4, 4)], []],
  ])('%s', (_, spans, expected) => {
    expect(united(spans)).toEqual(expected);
  });

  it('covers the same moments', () => {
    fc.assert(
      fc.property(fc.array(anyWindow, { maxLength: 8 }), (spans) => {
        const result = united(spans);
        expect(isInOrder(result)).toBe(true);
        expect(momentsOf(result)).toEqual(momentsOf(spans));
      }),
    );
  });
});

describe('withoutGaps', () => {
  it.each<[string, Span[], Span[], Span[]]>([
    ['no gap', [span(0, 9)], [], [span(0, 9)]],
    ['a gap inside', [span(0, 9)], [span(3, 5)], [span(0, 3), span(5, 9)]],
    ['two gaps inside', [span(0, 9)], [span(1, 2), span(5, 6)], [span(0, 1), span(2, 5), span(6, 9)]],
    ['a gap over the border of two', [span(0, 5), span(5, 9)], [span(4, 7)], [span(0, 4), span(7, 9)]],
    ['a gap over all', [span(2, 5), span(5, 9)], [span(0, 20)], []],
    ['a gap that ends where it begins', [span(5, 9)], [span(0, 5)], [span(5, 9)]],
    ['a gap that begins where it ends', [span(5, 9)], [span(9, 12)], [span(5, 9)]],
  ])('%s', (_, spans, gaps, expected) => {
    expect(withoutGaps(spans, gaps)).toEqual(expected);
  });

  it('leaves what is in the spans and in no gap', () => {
    fc.assert(
      fc.property(anySpans, anySpans, (spans, gaps) => {
        const result = withoutGaps(spans, gaps);
        expect(isInOrder(result)).toBe(true);
        const inGap = momentsOf(gaps);
        expect(statesOf(result)).toEqual(statesOf(spans).map((state, at) => (inGap[at] ? undefined : state)));
      }),
    );
  });
});

describe('overlaid', () => {
  it('puts another state where something was known and there is a gap', () => {
    const spans = [is('a', 2, 5), is('b', 5, 9)];
    const gaps = [span(0, 3), span(4, 6), span(8, 20)];
    expect(overlaid(spans, gaps, { state: '?', except: 'b' })).toEqual([
      is('?', 2, 3),
      is('a', 3, 4),
      is('?', 4, 5),
      is('b', 5, 9),
    ]);
    expect(overlaid(spans, gaps, { state: '?', except: '-' })).toEqual([
      is('?', 2, 3),
      is('a', 3, 4),
      is('?', 4, 6),
      is('b', 6, 8),
      is('?', 8, 9),
    ]);
  });

  it('changes what is known in gaps only', () => {
    fc.assert(
      fc.property(anySpans, anySpans, (spans, gaps) => {
        const result = overlaid(spans, gaps, { state: '?', except: 'a' });
        expect(isInOrder(result)).toBe(true);
        const inGap = momentsOf(gaps);
        expect(statesOf(result)).toEqual(
          statesOf(spans).map((state, at) => (state !== undefined && state !== 'a' && inGap[at] ? '?' : state)),
        );
      }),
    );
  });
});

describe('weighed', () => {
  it('shares spans among the parts that they touch', () => {
    const weights = weighed([is('a', 5, 25), is('b', 25, 27), is('a', 27, 90)], { from: 10, length: 10, count: 3 });
    expect(weights).toEqual([
      new Map([['a', 10]]),
      new Map([
        ['a', 8],
        ['b', 2],
      ]),
      new Map([['a', 10]]),
    ]);
  });

  it('gives as much to all parts together as the spans have in them', () => {
    fc.assert(
      fc.property(anySpans, fc.nat(20), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 6 }), (...given) => {
        const [spans, from, length, count] = given;
        const parts = { from, length, count };
        const states = statesOf(spans);
        const expected = Array.from({ length: count }, (_, part) =>
          ['a', 'b', 'c'].map(
            (state) => states.slice(from + part * length, from + (part + 1) * length).filter((s) => s === state).length,
          ),
        );
        expect(weighed(spans, parts).map((of) => ['a', 'b', 'c'].map((state) => of.get(state) ?? 0))).toEqual(expected);
        const parted = expected.flatMap((of, part) => (of.some((weight) => weight > 0) ? [part] : []));
        expect([...touched(spans, parts)].sort((a, b) => a - b)).toEqual(parted);
      }),
    );
  });
});

describe('evenly', () => {
  it.each<[number, number, number, number[]]>([
    [1, 3, 5, [1, 2, 3]],
    [1, 0, 5, []],
    [1, 9, 3, [1, 5, 9]],
    [7, 7, 3, [7]],
  ])('from %i to %i at most %i', (first, last, limit, expected) => {
    expect(evenly(first, last, limit)).toEqual(expected);
  });

  it('takes both ends, none twice, and steps that differ by one at most', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(600_000), fc.integer({ min: 2, max: 1_000 }), (first, more, limit) => {
        const taken = evenly(first, first + more, limit);
        expect([taken[0], taken.at(-1), taken.length]).toEqual([first, first + more, Math.min(limit, more + 1)]);
        const steps = taken.slice(1).map((index, i) => index - (taken[i] ?? 0));
        const [least, greatest] = [Math.min(...steps, 1_000_000), Math.max(...steps, 0)];
        expect(steps.length === 0 || (least >= 1 && greatest - least <= 1)).toBe(true);
      }),
    );
  });
});
