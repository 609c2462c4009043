import { type Hash, type Sha256, sha256 } from '../merkle/hashing.ts';
import { verifyInclusion } from '../merkle/inclusion.ts';
import type { TlogProof } from './tlog-proof.ts';
import type { TrustPolicy } from './trust-policy.ts';
import { type CheckpointVerdict, verifyCheckpoint } from './verify-checkpoint.ts';

/** Verifies that a leaf is in a log of the policy, at the index of the proof, in a checkpoint with enough cosignatures. */
export async function verifyProof(
  { index, hashes, signed }: TlogProof,
  leafHash: Hash,
  policy: TrustPolicy,
  hash: Sha256 = sha256,
): Promise<CheckpointVerdict> {
  const { size, root } = signed.checkpoint;
  if (index >= size) return { ok: false, problem: `leaf ${index} is not in a tree of ${size} leaves` };
  if (!verifyInclusion({ index, size, root, leafHash, proof: hashes }, hash))
    return { ok: false, problem: `the leaf is not at index ${index} of the tree of the checkpoint` };
  return verifyCheckpoint(signed, policy);
}
