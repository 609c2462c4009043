import { formatVerifierKey, isQuorum, type TrustPolicy } from '@waymark/transparency';

/** Which witnesses an installation has, and which of their cosignatures a checkpoint needs. */
export type WitnessPolicy = Pick<TrustPolicy, 'witnesses' | 'groups' | 'quorum'>;

export const NO_WITNESSES: WitnessPolicy = { witnesses: [], groups: [], quorum: 'none' };

/** Returns whether the witnesses with these verifier keys are enough. */
export function hasQuorum(policy: WitnessPolicy, verifierKeys: readonly string[]): boolean {
  const keys = new Set(verifierKeys);
  const names = policy.witnesses.filter(({ key }) => keys.has(formatVerifierKey(key))).map(({ name }) => name);
  return isQuorum({ ...policy, logs: [] }, new Set(names));
}
