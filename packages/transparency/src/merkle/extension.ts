import { verifyConsistency } from './consistency.ts';
import { emptyRoot, type Hash, type Sha256, sameHash, sha256 } from './hashing.ts';

export interface TreeHead {
  readonly size: number;
  readonly root: Hash;
}

/**
 * Returns whether a tree extends another, also from an empty tree, as a witness has to decide: an empty tree has one
 * root, every tree extends it, and nothing but the roots is compared for two trees of one size.
 */
export function verifyExtension(old: TreeHead, next: TreeHead, proof: readonly Hash[], hash: Sha256 = sha256): boolean {
  if (old.size > next.size) return false;
  if ([old, next].some(({ size, root }) => size === 0 && !sameHash(root, emptyRoot(hash)))) return false;
  if (old.size === 0) return proof.length === 0;
  const claim = { oldSize: old.size, oldRoot: old.root, size: next.size, root: next.root, proof };
  return verifyConsistency(claim, hash);
}
