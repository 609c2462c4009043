import type { Checkpoint, SignedCheckpoint } from '../notes/checkpoint.ts';
import type { VerifierKey } from '../notes/keys.ts';
import { verifyNote } from '../notes/verify-note.ts';
import { shown } from '../text.ts';
import { isQuorum, type TrustPolicy } from './trust-policy.ts';

export interface Cosigned {
  /** The name of the witness in the policy. */
  readonly witness: string;
  /** When it cosigned, in seconds since 1970. The earliest if it did several times. */
  readonly time: number;
}

export type CheckpointVerdict =
  | {
      readonly ok: true;
      readonly checkpoint: Checkpoint;
      readonly log: VerifierKey;
      readonly cosigned: readonly Cosigned[];
    }
  | { readonly ok: false; readonly problem: string };

/** Verifies that a log of the policy signed the checkpoint, and that enough witnesses cosigned it. */
export async function verifyCheckpoint(
  { checkpoint, note }: SignedCheckpoint,
  policy: TrustPolicy,
): Promise<CheckpointVerdict> {
  const logs = policy.logs.filter(({ key }) => key.name === checkpoint.origin);
  if (logs.length === 0) return refused(`the policy has no log with the origin ${shown(checkpoint.origin)}`);
  const keys = [...logs, ...policy.witnesses].map(({ key }) => key);
  const { verified, failed } = await verifyNote(note, keys);
  const [wrong] = failed;
  if (wrong) return refused(`the signature of ${shown(wrong.name)} is wrong`);
  const log = logs.find(({ key }) => verified.some((signature) => signature.key === key))?.key;
  if (!log) return refused(`the log ${shown(checkpoint.origin)} did not sign the checkpoint with a key of the policy`);
  const cosigned = policy.witnesses.flatMap(({ name, key }) => {
    const times = verified.flatMap((signature) => (signature.key === key ? [signature.time ?? 0] : []));
    return times.length === 0 ? [] : [{ witness: name, time: Math.min(...times) }];
  });
  if (isQuorum(policy, new Set(cosigned.map(({ witness }) => witness)))) return { ok: true, checkpoint, log, cosigned };
  const names = cosigned.map(({ witness }) => witness).join(', ') || 'no witness of the policy';
  return refused(`${names} cosigned the checkpoint, which is not the quorum ${shown(policy.quorum)}`);
}

function refused(problem: string): CheckpointVerdict {
  return { ok: false, problem };
}
