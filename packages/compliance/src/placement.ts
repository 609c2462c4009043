import { type ArtifactIndex, indexArtifacts, nameOf } from './artifact-index.ts';
import { shortCommit, shortFingerprint } from './in-words.ts';
import { nearestName } from './nearest-name.ts';
import { targetKey } from './target-key.ts';
import type { Artifact, Target, TrailTemplate } from './trail.ts';

export type Placement =
  | { readonly state: 'bound' }
  | { readonly state: 'pending' | 'unbound'; readonly hints: readonly string[] };

export type Displaced = Extract<Placement, { readonly hints: readonly string[] }>;
type ArtifactTarget = Exclude<Target, { readonly kind: 'trail' }>;
type NamedTarget = Extract<Target, { readonly kind: 'named' }>;

/** Returns the placement of an attestation, for the response to the request. */
export function placementOf(target: Target, template: TrailTemplate, artifacts: readonly Artifact[]): Placement {
  const index = indexArtifacts(template, artifacts);
  return target.kind === 'trail' || index.targetKeys.has(targetKey(target))
    ? { state: 'bound' }
    : displacementOf(target, index);
}

/** For a target that is known to be missing. */
export function displacementOf(target: ArtifactTarget, index: ArtifactIndex): Displaced {
  if (target.kind === 'fingerprint') {
    return {
      state: 'unbound',
      hints: [`this trail has no artifact with fingerprint ${shortFingerprint(target.fingerprint)}`],
    };
  }
  const state = index.expectedNames.has(target.artifact) ? 'pending' : 'unbound';
  return { state, hints: hintsFor(target, index) };
}

function hintsFor(target: NamedTarget, index: ArtifactIndex): string[] {
  const namesake = index.newestOfTemplateName.get(target.artifact);
  if (namesake !== undefined) return [commitHint(namesake, target)];
  const hints = nameHints(target.artifact, index);
  const ofSameCommit = index.newestOfCommit.get(target.commit);
  if (hints.length > 0 || ofSameCommit === undefined) return hints;
  return [`an artifact named '${nameOf(ofSameCommit)}' is in this trail, with the same commit`];
}

function commitHint({ commit }: Artifact, target: NamedTarget): string {
  if (commit === null) return `artifact '${target.artifact}' is in this trail, but it was reported without a commit`;
  const shorten = shortCommit(commit) === shortCommit(target.commit) ? (text: string) => text : shortCommit;
  const built = `it was built from commit ${shorten(commit)}, but the attestation is about ${shorten(target.commit)}`;
  return `artifact '${target.artifact}' is in this trail, but ${built}`;
}

function nameHints(sent: string, { expectedNames, names }: ArtifactIndex): string[] {
  const hints: string[] = [];
  const meant = expectedNames.has(sent) ? undefined : nearestName(sent, expectedNames);
  if (meant !== undefined) hints.push(`the template has '${meant}', but you sent '${sent}'`);
  if (names.has(sent)) return [...hints, `an artifact named '${sent}' is in this trail, but without a template name`];
  const alike = nearestName(sent, names);
  return alike === undefined ? hints : [...hints, `an artifact named '${alike}' is in this trail`];
}
