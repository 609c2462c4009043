import type { TrustLevel } from './rule.ts';

/** Everything known about one artifact, wherever it was reported. The same for every environment. */
export interface ArtifactEvidence {
  /** Empty when the artifact is unidentified; then there are no flows. */
  readonly fingerprint: string;
  /** One per flow that the artifact, or an index that lists it, was reported to. Their order means nothing. */
  readonly flows: readonly FlowEvidence[];
  /** There are more flows than can be judged. One of the others may hold a failure. */
  readonly isCut?: true;
  /**
   * For an image index of which at least one platform image was reported: all platforms that it lists, since nobody can
   * tell which of them runs. Each is judged by the evidence of the index and its own.
   */
  readonly platforms?: readonly PlatformEvidence[];
  /** For an artifact without any flow: the index that lists it. */
  readonly listedIn?: ListedIn;
}

export interface PlatformEvidence {
  /** Such as linux/arm64. */
  readonly platform: string;
  readonly fingerprint: string;
  readonly flows: readonly FlowEvidence[];
}

export interface ListedIn {
  readonly platform: string;
  readonly index: string;
  /** Platforms of the same index whose images were reported. */
  readonly reported: readonly string[];
}

export interface FlowEvidence {
  readonly flow: { readonly id: string; readonly name: string; readonly tags: Readonly<Record<string, string>> };
  readonly trail: { readonly id: string; readonly name: string };
  readonly artifactId: string;
  /** Set when the report is about the image index that lists the artifact. */
  readonly index?: { readonly fingerprint: string; readonly platform: string };
  /** The verdict on the artifact in its trail, in which attestations of the trail itself count, and why. */
  readonly status: 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE';
  readonly because: string;
  readonly fix: string | null;
  /** The evidence that counts: of the artifact or of the trail itself; the newest of each name and type. */
  readonly attestations: readonly AttestationEvidence[];
}

export interface AttestationEvidence {
  readonly id: string;
  readonly name: string;
  /** Of an override the type of what it replaces. */
  readonly type: string;
  readonly isCompliant: boolean;
  /** Seconds, of receipt. */
  readonly at: number;
  readonly isOverride: boolean;
  readonly reasons: readonly string[];
  readonly trust: TrustLevel;
  /** Of a decision. */
  readonly control: string | null;
  /** Of a pull request attestation. */
  readonly pullRequests: readonly PullRequestEvidence[] | null;
}

export interface PullRequestEvidence {
  readonly url: string;
  readonly author: string | null;
  readonly headCommit: string | null;
  readonly commitAuthors: readonly string[];
  readonly approvers: readonly Approver[];
}

export interface Approver {
  readonly user: string;
  /** The reviewed commit, where the review has it. */
  readonly commit: string | null;
  /** As the provider calls it; empty where only approvers were listed. */
  readonly state: string;
}
