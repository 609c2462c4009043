import type { Ctx } from '../../platform/ctx.ts';
import { lineageOf, type Origin } from './origin.reads.ts';
import { listForerunners } from './snapshot.store.ts';

export interface Past {
  readonly lineage: string;
  readonly deployments: readonly number[];
  readonly replacedNo: number | null;
}

/** After every run that there can be. */
const NOT_BEGUN = 2_147_483_647;

/**
 * Of each run: what it is a version of, when it was started before and what it takes the place of. Of one that has
 * begun, what began after it did not make place for it.
 */
export async function withPast(
  ctx: Ctx,
  environmentId: string,
  runs: readonly { name: string; fingerprint: string; no?: number; origins: readonly Origin[] }[],
): Promise<Past[]> {
  if (runs.length === 0) return [];
  const fingerprints = runs.map((run) => run.fingerprint);
  const lineages = runs.map((run) => lineageOf(run, run.origins));
  const at = { org_id: ctx.org, environment_id: environmentId };
  const before_no = runs.map((run) => run.no ?? NOT_BEGUN);
  const forerunners = await listForerunners(ctx.db, { ...at, fingerprints, lineages, before_no });
  const past = new Map(forerunners.map((forerunner) => [forerunner.place, forerunner]));
  return runs.map((_, i) => ({
    lineage: lineages[i] ?? '',
    deployments: past.get(i + 1)?.deployments ?? [],
    replacedNo: past.get(i + 1)?.replaced_no ?? null,
  }));
}
