import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { flipped, leavesOf, naivePath, naiveRoot, naiveSubproof } from '../../test/naive-tree.ts';
import { buildConsistencyProof, verifyConsistency } from './consistency.ts';
import { verifyExtension } from './extension.ts';
import { emptyRoot, type Hash, nodeHashOf } from './hashing.ts';
import { buildInclusionProof, verifyInclusion } from './inclusion.ts';
import { type ReadNode, rootOfComplete, rootOfNodes } from './read-node.ts';
import { MAX_SIZE } from './spans.ts';

const MAX_LEAVES = 600;
const leaves = leavesOf(MAX_LEAVES);
const readNode: ReadNode = (level, index) => rootOfComplete(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level));

const sizes = fc.integer({ min: 1, max: MAX_LEAVES });
const places = fc.tuple(sizes, fc.nat()).map(([size, n]) => ({ size, index: n % size }));
const pairs = fc.tuple(sizes, sizes).map(([a, b]) => ({ oldSize: Math.min(a, b), size: Math.max(a, b) }));

function inclusionOf({ index, size }: { index: number; size: number }) {
  const root = rootOfNodes(size, readNode);
  return { index, size, root, leafHash: leaves[index] ?? root, proof: buildInclusionProof(index, size, readNode) };
}

function consistencyOf({ oldSize, size }: { oldSize: number; size: number }) {
  const [oldRoot, root] = [rootOfNodes(oldSize, readNode), rootOfNodes(size, readNode)];
  return { oldSize, oldRoot, size, root, proof: buildConsistencyProof(oldSize, size, readNode) };
}

it('proofs and roots are those of the definitions in RFC 6962', () => {
  fc.assert(
    fc.property(places, pairs, (place, pair) => {
      const { root, proof } = inclusionOf(place);
      expect(root).toEqual(Uint8Array.from(naiveRoot(leaves.slice(0, place.size))));
      expect(proof.map(toArray)).toEqual(naivePath(place.index, leaves.slice(0, place.size)).map(toArray));
      const expected = naiveSubproof(pair.oldSize, leaves.slice(0, pair.size));
      expect(consistencyOf(pair).proof.map(toArray)).toEqual(expected.map(toArray));
    }),
    { numRuns: 150 },
  );
});

it('a built proof verifies, and with any bit of it, of the leaf or of a root changed it does not', () => {
  fc.assert(
    fc.property(places, pairs, fc.nat(), fc.nat(), (place, pair, at, bit) => {
      const inclusion = inclusionOf(place);
      expect(verifyInclusion(inclusion)).toBe(true);
      expect(verifyInclusion({ ...inclusion, root: flipped(inclusion.root, bit) })).toBe(false);
      expect(verifyInclusion({ ...inclusion, leafHash: flipped(inclusion.leafHash, bit) })).toBe(false);
      for (const proof of spoiled(inclusion.proof, at, bit))
        expect(verifyInclusion({ ...inclusion, proof })).toBe(false);
      const consistency = consistencyOf(pair);
      expect(verifyConsistency(consistency)).toBe(true);
      expect(verifyConsistency({ ...consistency, root: flipped(consistency.root, bit) })).toBe(false);
      expect(verifyConsistency({ ...consistency, oldRoot: flipped(consistency.oldRoot, bit) })).toBe(false);
      for (const proof of spoiled(consistency.proof, at, bit))
        expect(verifyConsistency({ ...consistency, proof })).toBe(false);
    }),
    { numRuns: 300 },
  );
});

it('a proof of inclusion holds for no other index', () => {
  fc.assert(
    fc.property(places, fc.nat({ max: 2 * MAX_LEAVES }), (place, index) => {
      fc.pre(index !== place.index);
      expect(verifyInclusion({ ...inclusionOf(place), index })).toBe(false);
    }),
    { numRuns: 300 },
  );
});

it('a proof of consistency holds for no other pair of trees', () => {
  fc.assert(
    fc.property(pairs, pairs, (pair, other) => {
      fc.pre(pair.oldSize !== other.oldSize || pair.size !== other.size);
      fc.pre(pair.oldSize !== pair.size || other.oldSize !== other.size);
      expect(verifyConsistency({ ...consistencyOf(other), proof: consistencyOf(pair).proof })).toBe(false);
    }),
    { numRuns: 300 },
  );
});

it('sizes and indexes that are none are rejected, not rounded', () => {
  const inclusion = inclusionOf({ index: 3, size: 7 });
  for (const index of [-1, 7, 2.5, Number.NaN, Number.POSITIVE_INFINITY])
    expect(verifyInclusion({ ...inclusion, index })).toBe(false);
  for (const size of [0, -7, 7.5, MAX_SIZE + 1]) expect(verifyInclusion({ ...inclusion, size })).toBe(false);
  const consistency = consistencyOf({ oldSize: 3, size: 7 });
  for (const oldSize of [0, -3, 8, 2.5]) expect(verifyConsistency({ ...consistency, oldSize })).toBe(false);
  expect(() => buildInclusionProof(7, 7, readNode)).toThrow('no leaf 7 in a tree of 7');
  expect(() => buildConsistencyProof(0, 7, readNode)).toThrow('no consistency proof from a tree of 0 to one of 7');
});

it('a tree with more leaves than 32 bits can count has proofs, each of few nodes', () => {
  // All leaves are the same, so every complete subtree of a level is.
  const levels = [leaves[0] ?? emptyRoot()];
  for (let level = 1; level <= 53; level++) {
    const below = levels[level - 1] ?? emptyRoot();
    levels.push(nodeHashOf(below, below));
  }
  const same: ReadNode = (level) => levels[level] ?? emptyRoot();
  const large = fc.bigInt({ min: 1n, max: BigInt(MAX_SIZE) }).map(Number);
  fc.assert(
    fc.property(large, large, (a, b) => {
      const [oldSize, size] = [Math.min(a, b), Math.max(a, b)];
      const [oldRoot, root] = [rootOfNodes(oldSize, same), rootOfNodes(size, same)];
      const proof = buildConsistencyProof(oldSize, size, same);
      expect(proof.length).toBeLessThan(64);
      expect(verifyConsistency({ oldSize, oldRoot, size, root, proof })).toBe(true);
      const index = oldSize - 1;
      const path = buildInclusionProof(index, size, same);
      expect(verifyInclusion({ index, size, root, leafHash: same(0, index), proof: path })).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('every tree extends the empty one, and of two trees of one size only the same', () => {
  const head = (size: number) => ({ size, root: rootOfNodes(size, readNode) });
  expect(verifyExtension(head(0), head(5), [])).toBe(true);
  expect(verifyExtension(head(0), head(0), [])).toBe(true);
  expect(verifyExtension(head(0), head(5), [head(1).root])).toBe(false);
  expect(verifyExtension({ size: 0, root: head(1).root }, head(5), [])).toBe(false);
  expect(verifyExtension(head(5), head(5), [])).toBe(true);
  expect(verifyExtension(head(5), { size: 5, root: head(6).root }, [])).toBe(false);
  expect(verifyExtension(head(5), head(4), [])).toBe(false);
  expect(verifyExtension(head(3), head(7), consistencyOf({ oldSize: 3, size: 7 }).proof)).toBe(true);
});

function toArray(hash: Hash): number[] {
  return [...hash];
}

/** Proofs that nearly are this one. */
function spoiled(proof: readonly Hash[], at: number, bit: number): Hash[][] {
  const changed = at % Math.max(1, proof.length);
  const longer = [...proof, leaves[bit % MAX_LEAVES] ?? emptyRoot()];
  if (proof.length === 0) return [longer];
  return [
    longer,
    proof.slice(1),
    proof.slice(0, -1),
    proof.map((hash, i) => (i === changed ? flipped(hash, bit) : hash)),
    proof.map((hash, i) => (i === changed ? hash.slice(0, 31) : hash)),
  ];
}
