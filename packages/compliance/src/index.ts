export { ENGINE_VERSION } from './engine-version.ts';
export { judgeTrail } from './judge-trail.ts';
export type { ArtifactStatus, Explanation, Found, Judgement, SlotStatus, Status, Unplaced } from './judgement.ts';
export type { Placement } from './placement.ts';
export { placementOf } from './placement.ts';
export { statusOfArtifact } from './status-of-artifact.ts';
export type {
  Artifact,
  Attestation,
  RequiredArtifact,
  RequiredAttestation,
  Target,
  Trail,
  TrailTemplate,
} from './trail.ts';
export { toArtifactStatus, toAssertedStatus, toComplianceStatus, toExplanation, toUnplaced } from './wire.ts';
