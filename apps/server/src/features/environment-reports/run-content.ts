export interface ReportedArtifact {
  readonly name: string;
  /** Empty when the artifact is not identified. */
  readonly fingerprint: string;
  readonly count: number;
  /** An `InstanceDetail` as JSON; the same instances give the same text, in whatever order they were sent. */
  readonly detail: string;
}

export interface ReportContent {
  /** One for each name and fingerprint, in the order of names, then fingerprints. */
  readonly artifacts: readonly ReportedArtifact[];
  /** Covers names, fingerprints and instances, but not start times. */
  readonly digest: Buffer;
}
