import { foldRoots, type Hash, nodeHashOf, type Sha256, sha256 } from './hashing.ts';
import { nodesOf, type Span } from './spans.ts';

/** Returns the root of the complete subtree of 2^level leaves that begins at leaf index × 2^level. */
export type ReadNode = (level: number, index: number) => Hash;

export function spanHash(span: Span, readNode: ReadNode, hash: Sha256 = sha256): Hash {
  return foldRoots(
    nodesOf(span).map(({ level, index }) => readNode(level, index)),
    hash,
  );
}

/** Returns the root of the first `size` leaves. */
export function rootOfNodes(size: number, readNode: ReadNode, hash: Sha256 = sha256): Hash {
  return spanHash({ begin: 0, end: size }, readNode, hash);
}

/** Returns the root of a complete subtree from its leaves, or from the nodes of one of its levels. */
export function rootOfComplete(hashes: readonly Hash[], hash: Sha256 = sha256): Hash {
  let level = hashes;
  while (level.length > 1) {
    const below = level;
    level = Array.from({ length: below.length / 2 }, (_, i) => {
      const [left, right] = [below[2 * i], below[2 * i + 1]];
      if (left === undefined || right === undefined) throw new RangeError('a complete subtree has 2^n leaves');
      return nodeHashOf(left, right, hash);
    });
  }
  const [root] = level;
  if (root === undefined) throw new RangeError('a complete subtree has a leaf');
  return root;
}
