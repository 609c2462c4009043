import type { Ctx } from '../../platform/ctx.ts';
import { type Origin, readOrigins, readOriginsById } from './origin.reads.ts';
import type { TracedRun } from './snapshot.store.ts';

export interface Traced {
  readonly run: TracedRun;
  readonly origins: readonly Origin[];
}

/** Runs that have other origins than were known. A report that only repeats what another said is none. */
export async function retraced(ctx: Ctx, runs: readonly TracedRun[]): Promise<Traced[]> {
  const originsOf = await readOrigins(
    ctx.db,
    ctx.org,
    runs.map((run) => run.fingerprint),
  );
  const differing = runs.flatMap((run) => {
    const origins = originsOf.get(run.fingerprint) ?? [];
    const isKnown =
      origins.length === run.artifactIds.length && origins.every(({ id }, i) => id === run.artifactIds[i]);
    return isKnown ? [] : [{ run, origins }];
  });
  const earlier = await readOriginsById(
    ctx.db,
    ctx.org,
    differing.flatMap(({ run }) => run.artifactIds),
  );
  return differing.filter(({ run, origins }) => {
    const before = run.artifactIds.map((id) => earlier.get(id));
    return originText(before) !== originText(origins);
  });
}

/** The same for reports that say the same, in whatever order they came. */
function originText(origins: readonly (Origin | undefined)[]): string {
  const texts = origins.map((origin) =>
    JSON.stringify([origin?.flow_id, origin?.trail_id, origin?.template_name, origin?.commit_sha]),
  );
  return texts.sort().join();
}
