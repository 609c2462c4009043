import { type Hash, sameHash, type TreeHead } from '@waymark/transparency';
import type { RemoteLog } from './remote-log.ts';
import { append, edgeAt, leafHashes } from './tree-reads.ts';

/**
 * Returns the first of the heads of a log that does not belong to the same tree as those before it, or undefined. The
 * hashes of the leaves, in order, must build each head: so every head extends all smaller ones.
 */
export async function headOutsideOfTree(log: RemoteLog, heads: readonly TreeHead[]): Promise<TreeHead | undefined> {
  const sorted = heads.filter(({ size }) => size > 0).toSorted((one, other) => one.size - other.size);
  const [smallest] = sorted;
  const largest = sorted.at(-1);
  if (!smallest || !largest) return undefined;
  let edge = await edgeAt(log, smallest, largest.size);
  if (!edge) return smallest;
  let root: Hash = smallest.root;
  let at = 0;
  const compare = () => {
    for (; sorted[at]?.size === edge?.size; at++) if (!sameHash(sorted[at]?.root ?? root, root)) return sorted[at];
    return undefined;
  };
  const wrong = compare();
  if (wrong) return wrong;
  for await (const hashes of leafHashes(log, smallest.size, largest.size)) {
    for (let from = 0; from < hashes.length; ) {
      const next = sorted[at]?.size ?? largest.size;
      const count = Math.min(hashes.length - from, next - edge.size);
      ({ edge, root } = append(edge, hashes.slice(from, from + count)));
      from += count;
      const different = compare();
      if (different) return different;
    }
  }
  return undefined;
}
