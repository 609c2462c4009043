import type { Attestation, AttestationOutcome } from '@waymark/contract';

/** What vouches for something, as the corner of a node and the panel of a drawer show it. */
export type Seal = 'verified' | 'unverified' | 'unmatched' | 'failed' | 'unproven' | 'job' | 'unsigned';

export const SEAL_WORDS: Readonly<Record<Seal, string>> = {
  verified: 'Signed, verified',
  unverified: 'Signed, signer not trusted',
  unmatched: 'Signed, no trusted key matches',
  failed: 'Signature invalid',
  unproven: 'Signed, proof incomplete',
  job: 'From a verified CI job',
  unsigned: 'Not signed',
};

const SEAL_OF_OUTCOME: Partial<Record<AttestationOutcome, Seal>> = {
  signature_verified: 'verified',
  signer_unknown: 'unverified',
  signature_unmatched: 'unmatched',
  signature_invalid: 'failed',
  certificate_invalid: 'failed',
  timestamp_invalid: 'failed',
  log_entry_invalid: 'failed',
  timestamp_missing: 'unproven',
  log_entry_missing: 'unproven',
  material_unreadable: 'unproven',
  trusted_root_invalid: 'unproven',
};

export function sealOf({ outcome, trust }: Pick<Attestation, 'outcome' | 'trust'>): Seal {
  // A verified statement may say that something failed.
  const ofTrust = {
    signature: 'verified',
    workload_identity: 'job',
    api_key: 'unsigned',
    claimed: 'unsigned',
  } as const;
  return SEAL_OF_OUTCOME[outcome] ?? ofTrust[trust];
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
