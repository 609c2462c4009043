import { orgLogOrigin } from '../entries/region-leaf.ts';
import { leafHashOf, type Sha256, sha256 } from '../merkle/hashing.ts';
import { verifyInclusion } from '../merkle/inclusion.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { shown, utf8 } from '../text.ts';
import type { HeadProof } from './head-proof.ts';
import type { LedgerProof } from './ledger-proof.ts';
import type { ProofStep } from './proof-step.ts';
import { differingContent, isInOrgLog, type OrgHead, type ProvenEntry, regionLeafOf } from './proven-entry.ts';
import type { TrustPolicy } from './trust-policy.ts';
import { type Cosigned, verifyCheckpoint } from './verify-checkpoint.ts';
import { type TimeStampVerdict, type VerifyTimeStamp, verifyProofTimeStamp } from './verify-time-stamp.ts';

export interface LedgerVerdict {
  /** No step failed. */
  readonly ok: boolean;
  /** In the order in which each rests on the one before it. */
  readonly steps: readonly ProofStep[];
  readonly checkpoint: Checkpoint;
  readonly cosigned: readonly Cosigned[];
  /** Set if the time stamp was verified. */
  readonly timeStamp: TimeStampVerdict | undefined;
}

export interface VerifyOptions {
  readonly hash?: Sha256;
  /** Verifies a time stamp; without it, the step is left out. */
  readonly verifyTimeStamp?: VerifyTimeStamp | undefined;
}

/** Verifies a proof file with a trust policy, all steps of it even if one fails. */
export async function verifyLedgerProof(
  proof: LedgerProof,
  policy: TrustPolicy,
  options: VerifyOptions = {},
): Promise<LedgerVerdict> {
  const steps = verifyEntry(proof.entry, proof.org, options.hash);
  const verdict = await verifyHeadProof(proof, policy, options);
  return verdictOf([...steps, ...verdict.steps], verdict);
}

/** Verifies the content of an entry, and its place in the log with this head. */
export function verifyEntry(entry: ProvenEntry, org: OrgHead, hash: Sha256 = sha256): ProofStep[] {
  return [verifyContent(entry, hash), verifyPlace(entry, org, hash)];
}

function verifyContent(entry: ProvenEntry, hash: Sha256): ProofStep {
  const step = (outcome: ProofStep['outcome'], says: string): ProofStep => ({ name: 'content', outcome, says });
  if (entry.nonce === null)
    return step('not_checked', 'The content was erased. What remains proves that the entry was recorded');
  const differing = differingContent(entry, hash);
  if (differing.length === 0) return step('ok', 'The content and the name of the actor are what was recorded');
  const what = differing.map((part) => (part === 'payload' ? 'content' : 'name of the actor')).join(' and the ');
  return step('failed', `The ${what} ${differing.length > 1 ? 'are' : 'is'} not what was recorded`);
}

function verifyPlace(entry: ProvenEntry, org: OrgHead, hash: Sha256): ProofStep {
  const place = `at index ${entry.index} of the log of the org, which has ${org.size} entries`;
  return isInOrgLog(entry, org, hash)
    ? { name: 'org_log', outcome: 'ok', says: `The entry is ${place}` }
    : { name: 'org_log', outcome: 'failed', says: `The entry is not ${place}` };
}

/** Verifies that the head of the log of an org is in the region log, and who signed and cosigned that. */
export async function verifyHeadProof(
  proof: HeadProof,
  policy: TrustPolicy,
  { hash = sha256, verifyTimeStamp }: VerifyOptions = {},
): Promise<LedgerVerdict> {
  const { checkpoint } = proof.region.signed;
  const signed = await verifyCheckpoint(proof.region.signed, { ...policy, quorum: 'none' });
  const cosigned = signed.ok ? signed.cosigned : [];
  const time = await verifyProofTimeStamp(proof, policy, { hash, verifyTimeStamp });
  const steps: ProofStep[] = [
    verifyRegionLeaf(proof, hash),
    signed.ok
      ? { name: 'signature', outcome: 'ok', says: `The checkpoint was signed by ${shown(checkpoint.origin)}` }
      : { name: 'signature', outcome: 'failed', says: sentence(signed.problem) },
    await verifyWitnesses(proof, policy, signed.ok, cosigned),
    time.step,
  ];
  return verdictOf(steps, { checkpoint, cosigned, timeStamp: time.verdict });
}

function verifyRegionLeaf({ org, region }: HeadProof, hash: Sha256): ProofStep {
  const { checkpoint } = region.signed;
  const step = (outcome: ProofStep['outcome'], says: string): ProofStep => ({ name: 'region_log', outcome, says });
  const expected = orgLogOrigin(checkpoint.origin, org.log);
  if (org.origin !== expected)
    return step('failed', `The origin of the log is ${shown(org.origin)}, not ${shown(expected)}`);
  const leafHash = leafHashOf(utf8(regionLeafOf(org)), hash);
  const { size, root } = checkpoint;
  const place = `at index ${region.index} of the region log, in its checkpoint of ${size} entries`;
  const isIn =
    region.index < size && verifyInclusion({ index: region.index, size, root, leafHash, proof: region.hashes }, hash);
  return isIn
    ? step('ok', `The head of the log of the org is ${place}`)
    : step('failed', `The head of the log of the org is not ${place}`);
}

async function verifyWitnesses(
  { region }: HeadProof,
  policy: TrustPolicy,
  isSigned: boolean,
  cosigned: readonly Cosigned[],
): Promise<ProofStep> {
  const step = (outcome: ProofStep['outcome'], says: string): ProofStep => ({ name: 'witnesses', outcome, says });
  if (!isSigned) return step('not_checked', 'Cosignatures count only on a checkpoint with a valid signature');
  const names = cosigned.map(({ witness, time }) => `${shown(witness)} at ${instantOf(time)}`).join(', ');
  const verdict = await verifyCheckpoint(region.signed, policy);
  if (!verdict.ok) return step('failed', sentence(verdict.problem));
  if (names !== '') return step('ok', `Cosigned by ${names}`);
  return step('not_checked', 'The trust policy requires no witness, and none of it cosigned the checkpoint');
}

function verdictOf(steps: readonly ProofStep[], rest: Omit<LedgerVerdict, 'ok' | 'steps'>): LedgerVerdict {
  const { checkpoint, cosigned, timeStamp } = rest;
  return { ok: steps.every(({ outcome }) => outcome !== 'failed'), steps, checkpoint, cosigned, timeStamp };
}

function instantOf(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? `${seconds} seconds after 1970` : time.toISOString().replace('.000Z', 'Z');
}

function sentence(problem: string): string {
  return problem.charAt(0).toUpperCase() + problem.slice(1);
}
