import { HASH_BYTES, type Hash, nodeHashOf, type Sha256, sameHash, sha256 } from './hashing.ts';
import { type ReadNode, spanHash } from './read-node.ts';
import { consistencySpans, isSize } from './spans.ts';

export interface ConsistencyClaim {
  readonly oldSize: number;
  readonly oldRoot: Hash;
  readonly size: number;
  readonly root: Hash;
  readonly proof: readonly Hash[];
}

/** Builds a consistency proof, as in RFC 6962, from O(log size) nodes. The old tree has at least one leaf. */
export function buildConsistencyProof(
  oldSize: number,
  size: number,
  readNode: ReadNode,
  hash: Sha256 = sha256,
): Hash[] {
  const { shared, rest } = consistencySpans(oldSize, size);
  return (shared.begin === 0 ? rest : [shared, ...rest]).map((span) => spanHash(span, readNode, hash));
}

/**
 * Returns whether the tree only appended to the old one. RFC 6962 has no proof from an empty tree, so that is false
 * here; `verifyExtension` accepts it.
 */
export function verifyConsistency(
  { oldSize, oldRoot, size, root, proof }: ConsistencyClaim,
  hash: Sha256 = sha256,
): boolean {
  if (!isSize(oldSize) || !isSize(size) || oldSize === 0 || oldSize > size) return false;
  if (![oldRoot, root, ...proof].every(({ length }) => length === HASH_BYTES)) return false;
  const { shared, rest } = consistencySpans(oldSize, size);
  const siblings = shared.begin === 0 ? proof : proof.slice(1);
  const start = shared.begin === 0 ? oldRoot : proof[0];
  if (start === undefined || siblings.length !== rest.length) return false;
  let [builtOld, built] = [start, start];
  for (const [i, { end }] of rest.entries()) {
    const sibling = siblings[i] ?? start;
    if (end <= oldSize) {
      builtOld = nodeHashOf(sibling, builtOld, hash);
      built = nodeHashOf(sibling, built, hash);
    } else built = nodeHashOf(built, sibling, hash);
  }
  return sameHash(builtOld, oldRoot) && sameHash(built, root);
}
