import { HASH_BYTES, type Hash, nodeHashOf, type Sha256, sameHash, sha256 } from './hashing.ts';
import { type ReadNode, spanHash } from './read-node.ts';
import { inclusionSpans, isSize } from './spans.ts';

export interface InclusionClaim {
  readonly index: number;
  readonly size: number;
  readonly root: Hash;
  readonly leafHash: Hash;
  readonly proof: readonly Hash[];
}

/** Builds an inclusion proof, as in RFC 6962, from O(log size) nodes. */
export function buildInclusionProof(index: number, size: number, readNode: ReadNode, hash: Sha256 = sha256): Hash[] {
  return inclusionSpans(index, size).map((span) => spanHash(span, readNode, hash));
}

/** Returns whether a leaf is at an index of the tree that has this size and root. */
export function verifyInclusion(claim: InclusionClaim, hash: Sha256 = sha256): boolean {
  const root = rootFromInclusion(claim, hash);
  return root !== undefined && sameHash(root, claim.root);
}

/** Returns the root that the proof leads to, or nothing if no tree of that size has a proof of that form. */
export function rootFromInclusion(
  { index, size, leafHash, proof }: Omit<InclusionClaim, 'root'>,
  hash: Sha256 = sha256,
): Hash | undefined {
  if (!isSize(index) || !isSize(size) || index >= size) return undefined;
  const spans = inclusionSpans(index, size);
  if (proof.length !== spans.length || ![leafHash, ...proof].every(({ length }) => length === HASH_BYTES))
    return undefined;
  return spans.reduce((root, { begin }, i) => {
    const sibling = proof[i] ?? root;
    return begin > index ? nodeHashOf(root, sibling, hash) : nodeHashOf(sibling, root, hash);
  }, leafHash);
}
