import { nameOf } from './artifact-index.ts';
import { byText } from './by-text.ts';
import type { Slot } from './fill-slots.ts';
import type { Artifact, RequiredAttestation, TrailTemplate } from './trail.ts';

/** An expected artifact, or a reported one: the subject of a judgement. */
export interface Subject {
  readonly name: string;
  readonly artifact: Artifact | null;
  readonly required: readonly RequiredAttestation[];
  readonly unexpected: boolean;
  readonly superseded: boolean;
}

export interface FilledSubject extends Subject {
  readonly slots: readonly Slot[];
  readonly evidence: readonly string[];
}

/**
 * Artifacts come in order of receipt. First the required ones, in the order of the template, then the extras, then the
 * superseded.
 */
export function lineUp(template: TrailTemplate, artifacts: readonly Artifact[]): Subject[] {
  const requirements = new Map(template.artifacts.map(({ name, attestations }) => [name, attestations]));
  const newest = new Map(artifacts.map((artifact) => [identityOf(artifact), artifact]));
  const requirementsOf = ({ templateName }: Artifact) =>
    templateName === null ? undefined : requirements.get(templateName);
  const isNewest = (artifact: Artifact) => newest.get(identityOf(artifact)) === artifact;
  const reported = (artifact: Artifact): Subject => ({
    name: nameOf(artifact),
    artifact,
    required: requirementsOf(artifact) ?? [],
    unexpected: requirementsOf(artifact) === undefined,
    superseded: !isNewest(artifact),
  });

  const expected = template.artifacts.map(({ name, attestations }): Subject => {
    const artifact = newest.get(identityOfName(name));
    if (artifact !== undefined) return reported(artifact);
    return { name, artifact: null, required: attestations, unexpected: false, superseded: false };
  });
  const unexpected = artifacts
    .filter((artifact) => isNewest(artifact) && requirementsOf(artifact) === undefined)
    .sort(byText((artifact) => `${nameOf(artifact)} ${artifact.fingerprint}`));
  const superseded = artifacts.filter((artifact) => !isNewest(artifact));
  return [...expected, ...unexpected.map(reported), ...superseded.map(reported)];
}

/** A file name does not identify an artifact, so only its fingerprint is left when it has no template name. */
function identityOf({ templateName, fingerprint }: Artifact): string {
  return templateName === null ? `fingerprint:${fingerprint}` : identityOfName(templateName);
}

function identityOfName(templateName: string): string {
  return `name:${templateName}`;
}
