export interface TrustedKey {
  id: string;
  name: string;
  /** PEM, SubjectPublicKeyInfo. */
  publicKey: string;
}

export interface TrustedIdentity {
  id: string;
  name: string;
  issuer: string;
  /** The subject alternative name of the certificate, compared as a whole. */
  subject: string;
  /** Whether the subject is a pattern, which must match as a whole. */
  isPattern?: boolean;
  /** Sigstore's trusted_root.json, parsed. */
  trustedRoot: unknown;
}

export interface Trust {
  keys: readonly TrustedKey[];
  identities: readonly TrustedIdentity[];
}

export type Signer =
  | { kind: 'key'; id: string; name: string }
  | {
      kind: 'identity';
      id: string;
      name: string;
      /** The subject alternative name and the issuer of the certificate. */
      identity: string;
      issuer: string;
    };

/** Why a signature proves nothing, as far as the verifier can determine. */
export type SignatureFault =
  /** The signer is not among the trusted ones. */
  | 'signer_unknown'
  /** No trusted key verifies it and it names none, so an unknown signer and a changed envelope look the same. */
  | 'signature_unmatched'
  /** It names a trusted signer, but the signature does not match these bytes. */
  | 'signature_invalid'
  | 'certificate_invalid'
  | 'timestamp_missing'
  | 'timestamp_invalid'
  | 'log_entry_missing'
  | 'log_entry_invalid'
  | 'material_unreadable'
  /** The root that the org stores with the identity cannot verify anything. */
  | 'trusted_root_invalid';

/** The trusted signers, the first one first, or why there is none. `claimed` is the trusted signer that the signature names without proof. */
export type Check = { verified: true; signers: readonly [Signer, ...Signer[]] } | Unproven;
export type Unproven = { verified: false; fault: SignatureFault; reason: string; claimed: Signer | null };
