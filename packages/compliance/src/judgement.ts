export type Status = 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE';

export interface Found {
  readonly kind: 'attestation' | 'artifact';
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
  /** Null for an artifact: it has no verdict of its own. */
  readonly isCompliant: boolean | null;
  readonly at: number;
}

export interface Explanation {
  /** A path that is stable between judgements, such as `trail/artifact:backend/attestation:sbom`. */
  readonly id: string;
  readonly kind: 'trail' | 'artifact' | 'attestation' | 'unplaced';
  readonly status: Status | 'MISSING';
  readonly needs: string;
  readonly found: readonly Found[];
  readonly because: string;
  readonly fix: string | null;
  /** When the newest deciding evidence was received; null without any. */
  readonly since: number | null;
  readonly children: readonly Explanation[];
}

export interface SlotStatus {
  readonly name: string;
  readonly type: string;
  readonly status: 'MISSING' | 'COMPLETE';
  readonly isCompliant: boolean | null;
  readonly attestationId: string | null;
  readonly overriddenAttestationId: string | null;
  readonly unexpected: boolean;
}

export interface ArtifactStatus {
  /** The name in the template, or the file name of an artifact that was reported without one. */
  readonly name: string;
  readonly artifactId: string | null;
  readonly fingerprint: string | null;
  readonly status: Status | 'MISSING';
  readonly isCompliant: boolean | null;
  readonly unexpected: boolean;
  readonly superseded: boolean;
  readonly attestations: readonly SlotStatus[];
  /** Ids of its attestations, the newest of each name and type, whether or not a slot shows it. */
  readonly evidence: readonly string[];
  readonly explanation: Explanation;
}

/** An attestation about an artifact that is not in the trail. */
export interface Unplaced {
  readonly attestationId: string;
  readonly name: string;
  readonly artifact: string;
  readonly commit: string;
  readonly state: 'pending' | 'unbound';
  readonly hints: readonly string[];
}

export interface Judgement {
  readonly status: Status;
  readonly isCompliant: boolean;
  readonly attestations: readonly SlotStatus[];
  /** Ids of the trail's own attestations, the newest of each name and type, whether or not a slot shows it. */
  readonly evidence: readonly string[];
  readonly artifacts: readonly ArtifactStatus[];
  readonly unplaced: readonly Unplaced[];
  readonly explanation: Explanation;
}
