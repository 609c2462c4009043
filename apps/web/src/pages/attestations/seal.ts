import type { Attestation } from '@waymark/contract';

/** What vouches for something, as the corner of a node and the panel of a drawer show it. */
export type Seal = 'verified' | 'unverified' | 'failed' | 'job' | 'unsigned';

export const SEAL_WORDS: Readonly<Record<Seal, string>> = {
  verified: 'Signed, verified',
  unverified: 'Signed, signer not trusted',
  failed: 'Signature does not hold',
  job: 'From a verified CI job',
  unsigned: 'Not signed',
};

type Vouched = Pick<Attestation, 'attestation_type' | 'trust' | 'reasons'>;

/** Nobody who is trusted signed it, which is another thing than a signature that was found to be wrong. */
const NOBODY_TRUSTED = /no trusted|no key is trusted|not among the trusted|identity comes from/i;

export function sealOf({ attestation_type, trust, reasons }: Vouched): Seal {
  if (trust === 'signature') return 'verified';
  if (attestation_type === 'in_toto')
    return reasons.some((text) => NOBODY_TRUSTED.test(text)) ? 'unverified' : 'failed';
  return trust === 'workload_identity' ? 'job' : 'unsigned';
}

export function commitSeal(
  commit: {
    readonly verified?: boolean | null | undefined;
    readonly signature_state?: string | null | undefined;
  } | null,
): Seal | null {
  if (!commit || (commit.verified === undefined && !commit.signature_state)) return null;
  if (commit.verified === true) return 'verified';
  if (/unsigned|no.?signature/i.test(commit.signature_state ?? 'unsigned')) return 'unsigned';
  return /bad|invalid|fail/i.test(commit.signature_state ?? '') ? 'failed' : 'unverified';
}
