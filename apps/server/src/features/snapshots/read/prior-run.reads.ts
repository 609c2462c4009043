import type { Ctx } from '../../../platform/ctx.ts';
import { unprepared } from '../../../platform/db/statement.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import type { OfEnvironment } from '../record/current-runs.reads.ts';
import { cachedFacts } from './fact-cache.ts';
import { elementsOf } from './snapshot.reads.ts';

/** A replaced run, in its last state. */
export interface PriorRun {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly compliance: RunCompliance;
  readonly artifactIds: readonly string[];
}

interface PriorRow {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly compliance: RunCompliance;
  readonly artifact_ids: string;
}

const listEndedRuns = unprepared<OfEnvironment & { nos: readonly number[] }, PriorRow>(
  'list_ended_runs',
  `select run.no, run.name, run.fingerprint, verdict.compliance, verdict.artifact_ids::text as artifact_ids
   from unnest(:nos::integer[]) as wanted (no)
   cross join lateral (
     select no, name, fingerprint from running
     where org_id = :org_id and environment_id = :environment_id and no = wanted.no and until_index is not null limit 1
   ) as run
   cross join lateral (
     select compliance, artifact_ids from running_verdict
     where org_id = :org_id and environment_id = :environment_id and no = wanted.no
     order by from_index desc limit 1
   ) as verdict`,
);

const listTimes = unprepared<OfEnvironment & { indexes: readonly number[] }, { index: number; created_at: Date }>(
  'list_snapshot_times',
  `select made.index, made.created_at from unnest(:indexes::integer[]) as wanted (index)
   cross join lateral (
     select index, created_at from snapshot
     where org_id = :org_id and environment_id = :environment_id and index = wanted.index limit 1
   ) as made`,
);

const CACHE_SIZE = 40_000;

const readCachedRuns = cachedFacts<PriorRun>({
  size: CACHE_SIZE,
  isCacheable: (run) => run.artifactIds.length <= 10,
  read: async (ctx, keys) => {
    const { environment_id, numbers: nos } = partsOf(keys);
    const rows = await listEndedRuns(ctx.db, { org_id: ctx.org, environment_id, nos });
    return rows.map((row) => [keyOf(environment_id, row.no), toPriorRun(row)] as const);
  },
});

const readCachedTimes = cachedFacts<{ index: number; at: number }>({
  size: CACHE_SIZE,
  read: async (ctx, keys) => {
    const { environment_id, numbers: indexes } = partsOf(keys);
    const rows = await listTimes(ctx.db, { org_id: ctx.org, environment_id, indexes });
    return rows.map(
      (row) => [keyOf(environment_id, row.index), { index: row.index, at: row.created_at.getTime() }] as const,
    );
  },
});

/** Returns ended runs by number. They never change. */
export async function readEndedRuns(
  ctx: Ctx,
  environmentId: string,
  nos: Iterable<number>,
  shouldCache: boolean,
): Promise<Map<number, PriorRun>> {
  const runs = await readCachedRuns(ctx, keysOf(environmentId, nos), shouldCache);
  return new Map(Array.from(runs.values(), (run) => [run.no, run]));
}

/** When snapshots were made, in milliseconds since 1970, by index. */
export async function readSnapshotTimes(
  ctx: Ctx,
  environmentId: string,
  indexes: Iterable<number>,
  shouldCache: boolean,
): Promise<Map<number, number>> {
  const times = await readCachedTimes(ctx, keysOf(environmentId, indexes), shouldCache);
  return new Map(Array.from(times.values(), ({ index, at }) => [index, at]));
}

function keyOf(environmentId: string, number: number): string {
  return `${environmentId} ${number}`;
}

function keysOf(environmentId: string, numbers: Iterable<number>): string[] {
  return Array.from(new Set(numbers), (number) => keyOf(environmentId, number));
}

/** All keys of one call are of one environment. */
function partsOf(keys: readonly string[]): { environment_id: string; numbers: number[] } {
  const [environment_id = ''] = keys[0]?.split(' ') ?? [];
  return { environment_id, numbers: keys.map((key) => Number(key.slice(environment_id.length + 1))) };
}

function toPriorRun(row: PriorRow): PriorRun {
  return {
    no: row.no,
    name: row.name,
    fingerprint: row.fingerprint,
    compliance: row.compliance,
    artifactIds: elementsOf(row.artifact_ids),
  };
}
