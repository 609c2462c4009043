import { actionsFor, type FixOptions, fixesOf, type Judged, overridesIn } from '@waymark/policy';

interface Named {
  readonly name: string;
  readonly fingerprint: string;
}

/** The fixes for a non-compliant artifact. */
export interface ArtifactFixes {
  readonly artifact: Named;
  readonly options: readonly FixOptions[];
  /** By fix: the ids of the attestations that can be overridden instead. */
  readonly overridable: ReadonlyMap<string, readonly string[]>;
}

const ACTIONS_SHOWN = 1_000;
const ARTIFACTS_SHOWN = 100;
const OVERRIDABLE_SHOWN = 100;

export function artifactFixes(
  { name, fingerprint }: Named,
  decisions: readonly { readonly judged: Judged }[],
): ArtifactFixes {
  const judged = decisions.map((decision) => decision.judged);
  return { artifact: { name, fingerprint }, options: fixesOf(judged), overridable: overridesIn(judged) };
}

/** The actions that make all artifacts compliant. */
export function shownActions(fixes: readonly ArtifactFixes[]) {
  const overridable = new Map<string, Set<string>>();
  for (const [fix, ids] of fixes.flatMap((of) => [...of.overridable])) {
    const all = overridable.get(fix) ?? new Set<string>();
    for (const id of ids) all.add(id);
    overridable.set(fix, all);
  }
  return actionsFor(fixes.map(({ artifact, options }) => [artifact, options] as const))
    .slice(0, ACTIONS_SHOWN)
    .map(({ fix, subjects }) => ({
      fix,
      artifacts: subjects.slice(0, ARTIFACTS_SHOWN),
      artifact_count: subjects.length,
      overridable: [...(overridable.get(fix) ?? [])].slice(0, OVERRIDABLE_SHOWN),
    }));
}
