import type { Explanation, Trail } from '@waymark/contract';

export type TrailStatus = Trail['compliance_status'];
export type ArtifactStatus = TrailStatus['artifacts_statuses'][string];
export type SlotStatus = TrailStatus['attestations_statuses'][number];

/** The part of the explanation about an artifact, by its report or, if that is missing, by its name. */
export function explainedArtifact(
  explanation: Explanation | undefined,
  key: string,
  artifact: Pick<ArtifactStatus, 'artifact_id'>,
): Explanation | undefined {
  return explanation?.children.find(
    ({ kind, id, found }) =>
      kind === 'artifact' &&
      (artifact.artifact_id === null
        ? id === `trail/artifact:${key}`
        : found.some((one) => one.kind === 'artifact' && one.id === artifact.artifact_id)),
  );
}

/** The part about one attestation, of the trail or of an artifact. */
export function explainedSlot(level: Explanation | undefined, slot: SlotStatus): Explanation | undefined {
  const name = `/attestation:${slot.attestation_name}`;
  const fits = level?.children.filter(
    ({ kind, id }) => kind === 'attestation' && (id.endsWith(name) || id.endsWith(`${name}:${slot.attestation_type}`)),
  );
  return fits?.find(({ found }) => found.some(({ id }) => id === slot.attestation_id)) ?? fits?.[0];
}
