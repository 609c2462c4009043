import type { Ctx } from '../../../platform/ctx.ts';
import { type Origin, type Origins, readOriginsById, shownProvenance } from '../../provenance/provenance.reads.ts';
import type { KnownRun } from '../../snapshots/record/current-runs.reads.ts';

/** Runs that have other origins than were known. A report that only repeats what another said is none. */
export async function withChangedProvenance(
  ctx: Ctx,
  runs: readonly KnownRun[],
  originsOf: ReadonlyMap<string, Origins>,
): Promise<KnownRun[]> {
  const differing = runs.flatMap((run) => {
    const origins = shownProvenance(originsOf.get(run.fingerprint));
    const isKnown =
      origins.length === run.artifactIds.length && origins.every(({ id }, i) => id === run.artifactIds[i]);
    return isKnown ? [] : [{ run, origins }];
  });
  const earlier = await readOriginsById(
    ctx.db,
    ctx.org,
    differing.flatMap(({ run }) => run.artifactIds),
  );
  return differing.flatMap(({ run, origins }) => {
    const before = run.artifactIds.map((id) => earlier.get(id));
    return originText(before) === originText(origins) ? [] : [run];
  });
}

/** The same for reports that say the same, in whatever order they came. */
function originText(origins: readonly (Origin | undefined)[]): string {
  const texts = origins.map((origin) =>
    JSON.stringify([origin?.flow_id, origin?.trail_id, origin?.template_name, origin?.commit_sha]),
  );
  return texts.sort().join();
}
