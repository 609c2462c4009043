export interface ReportedArtifact {
  readonly name: string;
  /** Empty when it is not known what runs under the name. */
  readonly fingerprint: string;
  readonly count: number;
  /** An `InstanceDetail` as JSON; the same instances give the same text, in whatever order they were sent. */
  readonly detail: string;
}

export interface ReportContent {
  /** One for each name and fingerprint, in the order of names, then fingerprints. */
  readonly artifacts: readonly ReportedArtifact[];
  /** Of what has a meaning: names, fingerprints and which instances there are, but not since when. */
  readonly digest: Buffer;
}
