import type { TrustLevel } from './trust-level.ts';

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
  /** The commit with which the artifact was reported. Only where a statement may be compared with it. */
  readonly commit?: string;
  /** Who wrote and committed what was built. Only where a decision or an approval may be compared with it. */
  readonly changedBy?: ChangedBy;
  /** The evidence that counts: of the artifact or of the trail itself; the newest of each name and type. */
  readonly attestations: readonly AttestationEvidence[];
}

/** As the report of the artifact names them: `Ada <ada@example.com>`, or an account. */
export interface ChangedBy {
  readonly authors: readonly string[];
  readonly committers: readonly string[];
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
  /** Of a pull request attestation; null of others, and once the content is erased. */
  readonly pullRequests: readonly PullRequestEvidence[] | null;
  /** Of a scan whose findings were read: the name of their list, and its length. */
  readonly findings?: { readonly set: string; readonly count: number };
  /** Of a VEX document: the name of the list of its statements, and its length. */
  readonly vex?: { readonly set: string; readonly count: number };
  /** What its envelopes say about this artifact. Absent where none was read. */
  readonly statements?: readonly StatementEvidence[];
  /** Of an SBOM that lists licenses. */
  readonly licenses?: readonly LicenseEvidence[];
  /** Of a jira attestation that says more than that its issues exist. */
  readonly issues?: readonly IssueEvidence[];
  /** Of a decision or a list of pull requests: whose credential recorded it, as they were then. */
  readonly recordedBy?: RecordedBy;
}

/** An identity that Waymark authenticated. Nothing of it is from the request. */
export interface RecordedBy {
  readonly kind: 'user' | 'service_account' | 'workload';
  /** Of a workload that of its service account. */
  readonly id: string;
  readonly name: string;
  readonly role: 'admin' | 'member' | 'snapshotter' | 'reader';
  /** Other names of a person: the display name, and addresses. */
  readonly aliases?: readonly string[];
  /** Of a person: the groups of the identity provider. */
  readonly groups?: readonly string[];
}

export interface LicenseEvidence {
  /** An SPDX expression without AND at its top. Null for what has no known license. */
  readonly expression: string | null;
  /** The number of components. */
  readonly count: number;
  /** The first ones. */
  readonly components: readonly string[];
}

export interface IssueEvidence {
  readonly key: string;
  readonly exists: boolean;
  /** As it is called in Jira. Absent when it was not reported. */
  readonly status?: string;
}

/** A statement about the artifact. What an unverified one says is not evidence, so nothing of it is here. */
export interface StatementEvidence {
  readonly predicateType: string;
  /** Whether it was signed by someone that the org trusts in this flow, then and now. */
  readonly isVerified: boolean;
  /** It was verified, and the org has withdrawn its trust since. */
  readonly isWithdrawn?: true;
  /** All trusted signers of a verified statement. */
  readonly signers: readonly StatementSigner[];
  readonly builder?: string;
  readonly buildType?: string;
  readonly source?: StatementSource;
  /** What the artifact was built from, as the provenance writes it: the first 50 addresses. One without is empty. */
  readonly materials?: readonly string[];
  /** The number of materials, if there are more. */
  readonly materialCount?: number;
  readonly result?: 'PASSED' | 'WARNED' | 'FAILED';
  readonly verifier?: string;
  readonly policyUri?: string;
  readonly verifiedLevels?: readonly string[];
  readonly properties?: readonly string[];
}

export type StatementSigner =
  | { readonly kind: 'key'; readonly id: string; readonly name: string }
  | { readonly kind: 'identity'; readonly identity: string; readonly issuer: string };

export interface StatementSource {
  /** Without the prefix git+, the suffix .git, and the ref. */
  readonly repository?: string;
  readonly ref?: string;
  readonly commit?: string;
}

export interface PullRequestEvidence {
  readonly url: string;
  readonly author: string | null;
  readonly headCommit: string | null;
  readonly commitAuthors: readonly string[];
  /** Only where some commit names who committed it. */
  readonly committers?: readonly string[];
  readonly approvers: readonly Approver[];
}

export interface Approver {
  readonly user: string;
  /** The reviewed commit, where the review has it. */
  readonly commit: string | null;
  /** As the provider calls it; empty where only approvers were listed. */
  readonly state: string;
}
