import { verifyConsistency } from '../merkle/consistency.ts';
import type { Sha256 } from '../merkle/hashing.ts';
import { formatNote } from '../notes/note.ts';
import { utf8 } from '../text.ts';
import type { HeadProof, ProofTimeStamp } from './head-proof.ts';
import type { ProofStep } from './proof-step.ts';
import type { TrustPolicy } from './trust-policy.ts';
import { verifyCheckpoint } from './verify-checkpoint.ts';

export interface TimeStampVerdict {
  readonly at: Date;
  readonly authority: string;
}

/** Verifies an RFC 3161 token over a message. A rejected token is an error whose message says why. */
export type VerifyTimeStamp = (token: Uint8Array, message: Uint8Array) => Promise<TimeStampVerdict>;

interface Verified {
  readonly step: ProofStep;
  readonly verdict?: TimeStampVerdict;
}

/**
 * Verifies that the stamped checkpoint is one of the same log that has the same leaf, and the token over it if the
 * caller can verify tokens.
 */
export async function verifyProofTimeStamp(
  { region, timeStamp }: HeadProof,
  policy: TrustPolicy,
  { hash, verifyTimeStamp }: { hash: Sha256; verifyTimeStamp: VerifyTimeStamp | undefined },
): Promise<Verified> {
  if (!timeStamp) return { step: step('not_checked', 'There is no time stamp') };
  const problem = await problemOf(region, timeStamp, policy, hash);
  if (problem !== undefined) return { step: step('failed', problem) };
  if (!verifyTimeStamp) return { step: step('not_checked', 'The token of the time stamp was not verified here') };
  try {
    const verdict = await verifyTimeStamp(timeStamp.token, utf8(formatNote(timeStamp.signed.note)));
    const at = verdict.at.toISOString();
    return { step: step('ok', `${verdict.authority} confirmed that the checkpoint existed at ${at}`), verdict };
  } catch (error) {
    return { step: step('failed', `The time stamp is not valid: ${error instanceof Error ? error.message : error}`) };
  }
}

async function problemOf(
  region: HeadProof['region'],
  { signed, consistency }: ProofTimeStamp,
  policy: TrustPolicy,
  hash: Sha256,
): Promise<string | undefined> {
  const [own, stamped] = [region.signed.checkpoint, signed.checkpoint];
  const verdict = await verifyCheckpoint(signed, { ...policy, quorum: 'none' });
  if (!verdict.ok) return `The time stamp is over a checkpoint that cannot be trusted: ${verdict.problem}`;
  if (stamped.origin !== own.origin) return 'The time stamp is over a checkpoint of another log';
  if (region.index >= stamped.size) return 'The time stamp is over a checkpoint without this leaf';
  const [small, large] = stamped.size <= own.size ? [stamped, own] : [own, stamped];
  const claim = { oldSize: small.size, oldRoot: small.root, size: large.size, root: large.root, proof: consistency };
  return verifyConsistency(claim, hash) ? undefined : 'The time stamp is over a checkpoint of a tree that differs';
}

function step(outcome: ProofStep['outcome'], says: string): ProofStep {
  return { name: 'time_stamp', outcome, says };
}
