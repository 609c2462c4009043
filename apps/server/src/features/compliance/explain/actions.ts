import { actionsFor, type FixOptions, fixesOf, type Judged } from '@waymark/policy';

interface Named {
  readonly name: string;
  readonly fingerprint: string;
}

/** The fixes for a non-compliant artifact. */
export type ArtifactFixes = readonly [Named, readonly FixOptions[]];

const ACTIONS_SHOWN = 1_000;
const ARTIFACTS_SHOWN = 100;

export function artifactFixes(
  { name, fingerprint }: Named,
  decisions: readonly { readonly judged: Judged }[],
): ArtifactFixes {
  return [{ name, fingerprint }, fixesOf(decisions.map(({ judged }) => judged))];
}

/** The actions that make all artifacts compliant. */
export function shownActions(fixes: readonly ArtifactFixes[]) {
  return actionsFor(fixes)
    .slice(0, ACTIONS_SHOWN)
    .map(({ fix, subjects }) => ({
      fix,
      artifacts: subjects.slice(0, ARTIFACTS_SHOWN),
      artifact_count: subjects.length,
    }));
}
