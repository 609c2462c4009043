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
  /** Sigstore's trusted_root.json, parsed. */
  trustedRoot: unknown;
}

export interface Trust {
  keys: readonly TrustedKey[];
  identities: readonly TrustedIdentity[];
}

export type Signer = { kind: 'key' | 'identity'; id: string; name: string };

/** Who signed, or why nobody trusted did. */
export type Check = { verified: true; by: Signer } | { verified: false; reason: string };
