import type { Ctx } from '../../../platform/ctx.ts';
import { statement } from '../../../platform/db/statement.ts';
import { type ArtifactReport, lineageOf } from '../../provenance/provenance.reads.ts';
import type { OfEnvironment } from './current-runs.reads.ts';

export interface Past {
  readonly lineage: string;
  readonly deployments: readonly number[];
  readonly replacedNo: number | null;
}

/** Greater than every run number. */
const NOT_BEGUN = 2_147_483_647;

/**
 * Adds to each run its lineage, its earlier starts and the run that it replaces. Runs that began after a run were not
 * replaced by it.
 */
export async function withPast(
  ctx: Ctx,
  environmentId: string,
  runs: readonly { name: string; fingerprint: string; no?: number; reports: readonly ArtifactReport[] }[],
): Promise<Past[]> {
  if (runs.length === 0) return [];
  const fingerprints = runs.map((run) => run.fingerprint);
  const lineages = runs.map((run) => lineageOf(run, run.reports));
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

/** The history of a run: the starts of the same fingerprint, and the run that it replaces. */
interface Forerunner {
  readonly place: number;
  readonly deployments: number[];
  readonly replaced_no: number | null;
}

const MAX_DEPLOYMENTS = 100;

/** Only the last few runs of a lineage are read, as one artifact may come and go many times without another. */
const listForerunners = statement<
  OfEnvironment & { fingerprints: readonly string[]; lineages: readonly string[]; before_no: readonly number[] },
  Forerunner
>(
  'list_forerunners',
  `select wanted.place::integer as place,
     coalesce(same.deployments, '{}') as deployments, replaced.no as replaced_no
   from unnest(:fingerprints::text[], :lineages::text[], :before_no::integer[])
     with ordinality as wanted (fingerprint, lineage, before_no, place)
   left join lateral (
     select deployments from running
     where org_id = :org_id and environment_id::text || ' ' || fingerprint = :environment_id::text || ' ' || wanted.fingerprint
       and fingerprint <> ''
     order by no desc limit 1
   ) as same on true
   left join lateral (
     select no from (
       select no, fingerprint from running
       where org_id = :org_id and environment_id::text || ' ' || lineage = :environment_id::text || ' ' || wanted.lineage
         and no < wanted.before_no
       order by no desc limit 20
     ) as recent
     where fingerprint <> wanted.fingerprint
     order by no desc limit 1
   ) as replaced on true`,
);

export function lastDeployments(earlier: readonly number[], index: number): number[] {
  return [...earlier, index].slice(-MAX_DEPLOYMENTS);
}
