import { inOrderOfReceipt } from './report.ts';
import { TRAIL_KEY, targetKeysOf } from './target-key.ts';
import type { Artifact, TrailTemplate } from './trail.ts';

/** What every attestation needs, found without a scan of all artifacts. */
export interface ArtifactIndex {
  readonly expectedNames: ReadonlySet<string>;
  /** All targets in this trail, the trail itself included. */
  readonly targetKeys: ReadonlySet<string>;
  /** The template names that a fingerprint was reported under. */
  readonly namesOfFingerprint: ReadonlyMap<string, ReadonlySet<string>>;
  readonly newestOfTemplateName: ReadonlyMap<string, Artifact>;
  readonly newestOfCommit: ReadonlyMap<string, Artifact>;
  /** What artifacts are called, the newest first. */
  readonly names: ReadonlySet<string>;
}

export function nameOf({ templateName, filename }: Artifact): string {
  return templateName ?? filename;
}

export function indexArtifacts(template: TrailTemplate, artifacts: readonly Artifact[]): ArtifactIndex {
  const ordered = inOrderOfReceipt(artifacts);
  const targetKeys = new Set([TRAIL_KEY]);
  const namesOfFingerprint = new Map<string, Set<string>>();
  const newestOfTemplateName = new Map<string, Artifact>();
  const newestOfCommit = new Map<string, Artifact>();
  for (const artifact of ordered) {
    const { fingerprint, templateName, commit } = artifact;
    for (const key of targetKeysOf(artifact)) targetKeys.add(key);
    if (commit !== null) newestOfCommit.set(commit, artifact);
    if (templateName === null) continue;
    newestOfTemplateName.set(templateName, artifact);
    namesOfFingerprint.set(fingerprint, (namesOfFingerprint.get(fingerprint) ?? new Set()).add(templateName));
  }
  return {
    expectedNames: new Set(template.artifacts.map(({ name }) => name)),
    targetKeys,
    namesOfFingerprint,
    newestOfTemplateName,
    newestOfCommit,
    names: new Set(ordered.toReversed().map(nameOf)),
  };
}
