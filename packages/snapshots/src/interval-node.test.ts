import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { intervalNode, nodesAt } from './interval-node.ts';

const LARGEST = 2_147_483_647;

// Small numbers meet the edges of powers of two, large ones the edge of 32 bits.
const numbers = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: LARGEST }));

/** Three numbers in order: the first and the last of an interval, and one in it. */
const intervals = fc
  .tuple(numbers, numbers, numbers)
  .map((three) => three.toSorted((one, other) => one - other) as [number, number, number]);

function halvings(number: number): number {
  return 31 - Math.clz32(number & -number);
}

it.each([
  [1, 2, 1],
  [1, 3, 2],
  [3, 5, 4],
  [4, 5, 4],
  [4, 6, 5],
  [5, 8, 6],
  [5, 9, 8],
  [9, 16, 12],
  [1, LARGEST, 2 ** 30],
])('the node of %i until %i is %i', (from, until, node) => {
  expect(intervalNode(from, until)).toBe(node);
});

it('the nodes at an index are one for each power of two up to the latest', () => {
  expect(nodesAt(5, 10)).toEqual([5, 6, 4, 8]);
  expect(nodesAt(1, 1)).toEqual([1]);
  expect(nodesAt(1, 0)).toEqual([]);
  expect(nodesAt(LARGEST, LARGEST)).toHaveLength(31);
});

it('the node of an interval is in it, and none after its first can be halved more often', () => {
  const property = fc.property(intervals, ([from, index, last]) => {
    const node = intervalNode(from, last + 1);
    expect(node).toBeGreaterThanOrEqual(from);
    expect(node).toBeLessThanOrEqual(last);
    if (index > from) expect(halvings(index)).toBeLessThanOrEqual(halvings(node));
  });
  fc.assert(property, { numRuns: 1000 });
});

it('the nodes at an index hold the node of every interval around it', () => {
  const property = fc.property(intervals, fc.nat(100), ([from, index, last], later) => {
    const latest = Math.min(LARGEST, last + later);
    expect(nodesAt(index, latest)).toContain(intervalNode(from, last + 1));
  });
  fc.assert(property, { numRuns: 2000 });
});

it('holds for every interval and index up to 40', () => {
  for (let from = 1; from <= 40; from++) {
    for (let until = from + 1; until <= 41; until++) {
      for (let index = from; index < until; index++) {
        expect(nodesAt(index, until - 1)).toContain(intervalNode(from, until));
      }
    }
  }
});
