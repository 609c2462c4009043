import type { ArtifactStatus, Judgement } from './judgement.ts';

/** Returns the verdict on a report of an artifact. A report that a newer one replaced shares its verdict. */
export function statusOfArtifact(
  judgement: Judgement,
  artifact: { id: string; fingerprint: string; template_name: string | null },
): ArtifactStatus {
  const ofFingerprint = judgement.artifacts.filter((status) => status.fingerprint === artifact.fingerprint);
  const status =
    ofFingerprint.find((candidate) => candidate.artifactId === artifact.id) ??
    ofFingerprint.find((candidate) => candidate.name === artifact.template_name) ??
    ofFingerprint[0];
  if (!status) throw new Error(`artifact ${artifact.id} was not judged`);
  return status;
}
