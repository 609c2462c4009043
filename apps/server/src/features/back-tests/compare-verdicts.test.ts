import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Compared, createCoverage, isFlip, piecesOf } from './compare-verdicts.ts';

const compliant = { isCompliant: true, reasons: [] };
const failing = { isCompliant: false, reasons: ['["no"]'] };
const compared = (from: number, until: number, more: Partial<Compared> = {}): Compared => ({
  from,
  until,
  recorded: 'compliant',
  evidence: 'recorded',
  would: failing,
  ...more,
});
const piecesIn = (all: readonly Compared[], waived: { from: number; until: number }[] = []) =>
  piecesOf(all, waived).map(({ from, until, was, to }) => `${from}-${until} ${was} > ${to}`);

describe('what an artifact would have been', () => {
  it('is one piece while it goes on, whatever was rewritten meanwhile', () => {
    expect(piecesIn([compared(1, 3), compared(3, 4), compared(4, 9, { would: compliant })])).toEqual([
      '1-4 compliant > non-compliant',
      '4-9 compliant > compliant',
    ]);
  });

  it('is split where the recorded verdict or the evidence changes', () => {
    expect(
      piecesIn([
        compared(1, 2, { recorded: 'unknown', evidence: 'present' }),
        compared(2, 3, { recorded: 'unknown' }),
        compared(3, 4),
      ]),
    ).toHaveLength(3);
  });

  it('is not joined across a gap', () => {
    expect(piecesIn([compared(1, 2), compared(5, 6)])).toHaveLength(2);
  });

  it.each([
    [[{ from: 1, until: 9 }], ['3-6 compliant > waived']],
    [
      [{ from: 4, until: 5 }],
      ['3-4 compliant > non-compliant', '4-5 compliant > waived', '5-6 compliant > non-compliant'],
    ],
    [[{ from: 1, until: 4 }], ['3-4 compliant > waived', '4-6 compliant > non-compliant']],
    [[{ from: 5, until: 9 }], ['3-5 compliant > non-compliant', '5-6 compliant > waived']],
    [[{ from: 6, until: 9 }], ['3-6 compliant > non-compliant']],
    [
      [
        { from: 1, until: 4 },
        { from: 4, until: 6 },
      ],
      ['3-6 compliant > waived'],
    ],
  ])('with a waiver in %j', (waived, pieces) => {
    expect(piecesIn([compared(3, 6)], waived)).toEqual(pieces);
  });

  it('is what was recorded where nothing is predicted', () => {
    expect(piecesIn([compared(1, 2, { would: null, recorded: 'unknown' })])).toEqual(['1-2 unknown > unknown']);
  });

  it.each([
    ['compliant', 'non-compliant', true],
    ['compliant', 'waived', true],
    ['non-compliant', 'compliant', true],
    ['unknown', 'non-compliant', true],
    ['unknown', 'waived', true],
    ['unknown', 'compliant', false],
    ['waived', 'waived', false],
  ] as const)('%s that would be %s is a flip: %s', (was, to, flips) => {
    expect(isFlip({ from: 1, until: 2, was, to, evidence: 'recorded', reasons: [] })).toBe(flips);
  });
});

it('counts the snapshots covered by intervals, as a plain list would', () => {
  const intervals = fc.array(fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]) => ({ from: a, until: a + b })));
  const property = fc.property(fc.nat(20), fc.nat(20), intervals, fc.nat(20), (first, more, list, upTo) => {
    const last = first + more;
    const coverage = createCoverage({ first, last });
    for (const interval of list) coverage.add(interval);
    const index = Math.min(first + upTo, last);
    const held = Array.from({ length: index - first + 1 }, (_, i) => first + i).filter((at) =>
      list.some(({ from, until }) => from <= at && at < until),
    );
    expect(coverage.countTo(index)).toBe(held.length);
  });
  fc.assert(property, { numRuns: 500 });
});
