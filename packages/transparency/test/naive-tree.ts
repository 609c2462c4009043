import { createHash } from 'node:crypto';
import type { Hash } from '../src/merkle/hashing.ts';

/** The definitions of RFC 6962, section 2.1, word for word, with the SHA-256 of Node: slow, and easy to believe. */

const sha256 = (...parts: Uint8Array[]) => Uint8Array.from(createHash('sha256').update(Buffer.concat(parts)).digest());

export function naiveLeafHash(data: Uint8Array): Hash {
  return sha256(Buffer.of(0), data);
}

function naiveNodeHash(left: Hash, right: Hash): Hash {
  return sha256(Buffer.of(1), left, right);
}

/** The largest power of two smaller than n. */
function splitOf(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** MTH(D[n]) */
export function naiveRoot(leaves: readonly Hash[]): Hash {
  const [first] = leaves;
  if (first === undefined) return sha256();
  if (leaves.length === 1) return first;
  const k = splitOf(leaves.length);
  return naiveNodeHash(naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

/** PATH(m, D[n]) */
export function naivePath(m: number, leaves: readonly Hash[]): Hash[] {
  if (leaves.length <= 1) return [];
  const k = splitOf(leaves.length);
  return m < k
    ? [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))];
}

/** PROOF(m, D[n]) is SUBPROOF(m, D[n], true) */
export function naiveSubproof(m: number, leaves: readonly Hash[], isWhole = true): Hash[] {
  if (m === leaves.length) return isWhole ? [] : [naiveRoot(leaves)];
  const k = splitOf(leaves.length);
  return m <= k
    ? [...naiveSubproof(m, leaves.slice(0, k), isWhole), naiveRoot(leaves.slice(k))]
    : [...naiveSubproof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))];
}

export function leavesOf(size: number): Hash[] {
  return Array.from({ length: size }, (_, i) => naiveLeafHash(Buffer.from(`leaf ${i}`)));
}

/** Returns the bytes with one bit changed. */
export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const at = Math.floor(bit / 8) % bytes.length;
  changed[at] = (changed[at] ?? 0) ^ (1 << (bit % 8));
  return changed;
}
