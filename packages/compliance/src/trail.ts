/** The requirements of a template. The type `*` is met by any kind of evidence. */
export interface RequiredAttestation {
  readonly name: string;
  readonly type: string;
}

export interface RequiredArtifact {
  readonly name: string;
  readonly attestations: readonly RequiredAttestation[];
}

export interface TrailTemplate {
  readonly attestations: readonly RequiredAttestation[];
  readonly artifacts: readonly RequiredArtifact[];
}

export type Target =
  | { readonly kind: 'trail' }
  | { readonly kind: 'fingerprint'; readonly fingerprint: string }
  | { readonly kind: 'named'; readonly artifact: string; readonly commit: string };

export interface Attestation {
  readonly id: string;
  /** Unique, and the only order that counts: times may repeat or be claimed. */
  readonly receipt: number;
  /** Seconds since 1970. */
  readonly receivedAt: number;
  readonly name: string;
  readonly type: string;
  readonly isCompliant: boolean;
  readonly target: Target;
  /** Reasons why it is not compliant. */
  readonly reasons: readonly string[];
  /** What an attestation of type `override` replaces; null for all others. */
  readonly overrides: { readonly id: string; readonly type: string; readonly reason: string } | null;
}

export interface Artifact {
  readonly id: string;
  readonly receipt: number;
  /** Seconds since 1970. */
  readonly reportedAt: number;
  readonly fingerprint: string;
  readonly templateName: string | null;
  readonly commit: string | null;
  readonly filename: string;
}

export interface Trail {
  readonly name: string;
  readonly template: TrailTemplate;
  /** The flow was created by the first evidence that named it. */
  readonly autoCreated: boolean;
  readonly attestations: readonly Attestation[];
  readonly artifacts: readonly Artifact[];
}
