import type { ArtifactStatus, Explanation, Judgement, SlotStatus } from './judgement.ts';

/** Verdicts in API replies and audit packages. */

/** Files with the same name that are not in the template are distinguished by their fingerprints. */
export function toComplianceStatus(judgement: Judgement, templateId: string, evaluatedAt: number) {
  const counting = judgement.artifacts.filter((artifact) => !artifact.superseded);
  return {
    status: judgement.status,
    is_compliant: judgement.isCompliant,
    evaluated_at: evaluatedAt,
    flow_template_id: templateId,
    attestations_statuses: judgement.attestations.map(toSlot),
    artifacts_statuses: Object.fromEntries(
      counting.map((artifact, place) => {
        const isTaken = counting.findIndex(({ name }) => name === artifact.name) < place;
        const key = isTaken ? `${artifact.name}@${artifact.fingerprint}` : artifact.name;
        return [key, toArtifactStatus(artifact, templateId, evaluatedAt)];
      }),
    ),
  };
}

/** Includes the requirements of the trail as a whole, which count for its artifacts too. */
export function toAssertedStatus(
  artifact: ArtifactStatus,
  judgement: Judgement,
  templateId: string,
  evaluatedAt: number,
) {
  const status = toArtifactStatus(artifact, templateId, evaluatedAt);
  const ofTrail = judgement.attestations.map(toSlot);
  return { ...status, attestations_statuses: [...status.attestations_statuses, ...ofTrail] };
}

export function toArtifactStatus(artifact: ArtifactStatus, templateId: string, evaluatedAt: number) {
  return {
    artifact_fingerprint: artifact.fingerprint,
    artifact_id: artifact.artifactId,
    status: artifact.status,
    is_compliant: artifact.isCompliant,
    attestations_statuses: artifact.attestations.map(toSlot),
    unexpected: artifact.unexpected,
    evaluated_at: evaluatedAt,
    flow_template_id: templateId,
  };
}

function toSlot(slot: SlotStatus) {
  return {
    attestation_name: slot.name,
    attestation_type: slot.type,
    attestation_id: slot.attestationId,
    overridden_attestation_id: slot.overriddenAttestationId,
    status: slot.status,
    is_compliant: slot.isCompliant,
    unexpected: slot.unexpected,
  };
}

export function toUnplaced(judgement: Judgement) {
  return judgement.unplaced.map((unplaced) => ({
    attestation_id: unplaced.attestationId,
    attestation_name: unplaced.name,
    target_artifact: unplaced.artifact,
    git_commit: unplaced.commit,
    state: unplaced.state,
    hints: [...unplaced.hints],
  }));
}

export function toExplanation(node: Explanation): unknown {
  return {
    ...node,
    found: node.found.map(({ isCompliant, ...found }) => ({ ...found, is_compliant: isCompliant })),
    children: node.children.map(toExplanation),
  };
}
