import type { GitCommitInfo, RepoInfo, StoredFile } from '@waymark/contract';
import type { RecordedBy } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import type { EvidenceClaim } from '../../platform/evidence-receipt.ts';
import type { Destination } from './attestation.store.ts';
import type { EvidenceVerdict } from './verdict.ts';
import type { EvidenceDestination } from './verdicts/threshold.ts';

/** The members of every kind of attestation. */
export interface Sent {
  readonly attestation_name: string;
  readonly target_artifacts?: readonly string[] | null | undefined;
  readonly artifact_fingerprint?: string | null | undefined;
  readonly git_commit_info?: GitCommitInfo | null | undefined;
  readonly repo_info?: RepoInfo | null | undefined;
}

export interface Override {
  /** The type of the overridden attestation. */
  readonly type: string;
  readonly reason: string;
  /** The attestation that the author reviewed, if named. */
  readonly attestationId: string | null;
}

export interface AttestationReport {
  readonly flowName: string;
  readonly trailName: string;
  /** For example generic, or custom:coverage. */
  readonly type: string;
  readonly sent: Sent;
  readonly attachment: StoredFile | undefined;
  readonly claim: EvidenceClaim | undefined;
  readonly claimedAt: number | undefined;
  readonly override?: Override;
  /** Called once the destination is known to be valid. */
  judge(ctx: Ctx, where: EvidenceDestination): Promise<EvidenceVerdict> | EvidenceVerdict;
}

export type Placement = 'bound' | 'pending' | 'unbound';

export interface RecordedAttestation {
  readonly id: string;
  readonly placement: Placement;
  readonly text: string;
}

export interface AttestationDraft {
  readonly report: AttestationReport;
  readonly destination: Destination;
  readonly verdict: EvidenceVerdict;
  readonly claimedAt: Date | null;
  readonly overridden: { readonly id: string } | undefined;
  readonly recordedBy: RecordedBy | null;
}

export interface CompletePlace {
  readonly flow_id: string;
  readonly flow_name: string;
  readonly trail_id: string;
  readonly trail_receipt: number;
  readonly template_id: string;
  readonly has_artifact: boolean;
  /** The flow was created by this report or one like it. */
  readonly auto_created?: boolean;
}
