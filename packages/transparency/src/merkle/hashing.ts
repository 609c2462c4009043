import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

export type Hash = Uint8Array;

/** Computes SHA-256. A caller with a faster one than that of this package, such as that of Node, passes its own. */
export type Sha256 = (data: Uint8Array) => Uint8Array;

export const HASH_BYTES = 32;

const LEAF_PREFIX = 0;
const NODE_PREFIX = 1;

export const sha256: Sha256 = (data) => nobleSha256(data);

/** Returns the hash of a leaf as in RFC 6962. Its prefix differs from that of nodes, so one cannot pass for the other. */
export function leafHashOf(data: Uint8Array, hash: Sha256 = sha256): Hash {
  const input = new Uint8Array(1 + data.length);
  input[0] = LEAF_PREFIX;
  input.set(data, 1);
  return hash(input);
}

export function nodeHashOf(left: Hash, right: Hash, hash: Sha256 = sha256): Hash {
  const input = new Uint8Array(1 + 2 * HASH_BYTES);
  input[0] = NODE_PREFIX;
  input.set(left, 1);
  input.set(right, 1 + HASH_BYTES);
  return hash(input);
}

/** Returns the root of a tree without leaves: the hash of nothing. */
export function emptyRoot(hash: Sha256 = sha256): Hash {
  return hash(new Uint8Array(0));
}

/** Hashes here are public: nothing is learned from how long the comparison takes. */
export function sameHash(one: Hash, other: Hash): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

/** Folds the roots of adjacent complete subtrees, the largest first, into the root of all of them. */
export function foldRoots(roots: readonly Hash[], hash: Sha256 = sha256): Hash {
  const folded = roots.reduceRight<Hash | undefined>(
    (right, left) => (right === undefined ? left : nodeHashOf(left, right, hash)),
    undefined,
  );
  return folded ?? emptyRoot(hash);
}
