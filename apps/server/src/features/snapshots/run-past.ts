import type { Ctx } from '../../platform/ctx.ts';
import { lineageOf, type Origin, readOrigins } from './origin.reads.ts';
import { listForerunners } from './snapshot.store.ts';

export interface Past {
  readonly origins: readonly Origin[];
  readonly lineage: string;
  readonly deployments: readonly number[];
  readonly replacedNo: number | null;
}

/** After every run that there can be. */
const NOT_BEGUN = 2_147_483_647;

/**
 * Of each run: where it came from, when it was started before and what it takes the place of. Of one that has begun,
 * what began after it did not make place for it.
 */
export async function withPast(
  ctx: Ctx,
  environmentId: string,
  runs: readonly { name: string; fingerprint: string; no?: number }[],
): Promise<Past[]> {
  if (runs.length === 0) return [];
  const fingerprints = runs.map((run) => run.fingerprint);
  const originsOf = await readOrigins(ctx.db, ctx.org, fingerprints);
  const origins = fingerprints.map((fingerprint) => originsOf.get(fingerprint) ?? []);
  const lineages = runs.map((run, i) => lineageOf(run, origins[i] ?? []));
  const at = { org_id: ctx.org, environment_id: environmentId };
  const before_no = runs.map((run) => run.no ?? NOT_BEGUN);
  const forerunners = await listForerunners(ctx.db, { ...at, fingerprints, lineages, before_no });
  const past = new Map(forerunners.map((forerunner) => [forerunner.place, forerunner]));
  return runs.map((_, i) => ({
    origins: origins[i] ?? [],
    lineage: lineages[i] ?? '',
    deployments: past.get(i + 1)?.deployments ?? [],
    replacedNo: past.get(i + 1)?.replaced_no ?? null,
  }));
}
