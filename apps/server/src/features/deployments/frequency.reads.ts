import { type RawBuilder, sql } from 'kysely';
import type { Buckets } from '../../platform/buckets.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { commitTime, isCommitTimeSql } from './commit-time.reads.ts';

/** Lead times are parsed from reports, so they are limited to the newest deployments. */
const TIMED_MAX = 20_000;

export interface Frequency {
  readonly counts: ReadonlyMap<number, number>;
  /** Median and 90th percentile, by bucket. */
  readonly leadTimes: ReadonlyMap<number, LeadTimes>;
  readonly overall: LeadTimes | undefined;
}

interface LeadTimes {
  readonly median: number;
  readonly p90: number;
}

export async function readFrequency(ctx: Ctx, environmentIds: readonly string[], buckets: Buckets): Promise<Frequency> {
  const [counts, times] = await Promise.all([
    listCounts(ctx, environmentIds, buckets),
    listLeadTimes(ctx, environmentIds, buckets),
  ]);
  const leadTimes = new Map(times.map(({ bucket, quantiles: [median = 0, p90 = 0] }) => [bucket, { median, p90 }]));
  return {
    counts: new Map(counts.map(({ bucket, deployments }) => [bucket, deployments])),
    leadTimes: new Map([...leadTimes].filter((entry): entry is [number, LeadTimes] => entry[0] !== null)),
    overall: leadTimes.get(null),
  };
}

async function listCounts(ctx: Ctx, environmentIds: readonly string[], buckets: Buckets) {
  const { rows } = await sql<{ bucket: number; deployments: number }>`
    select ${bucketOf(buckets)} as bucket, count(*) as deployments
    from (${starts(ctx, environmentIds, buckets)}) as start group by bucket`.execute(ctx.db);
  return rows;
}

/** The row without a bucket covers the whole window. */
async function listLeadTimes(ctx: Ctx, environmentIds: readonly string[], buckets: Buckets) {
  const { rows } = await sql<{ bucket: number | null; quantiles: number[] }>`
    with start as materialized (
      ${starts(ctx, environmentIds, buckets, TIMED_MAX)}
      order by start.started_at desc, start.environment_id desc, start.no desc limit ${TIMED_MAX}
    ), started as materialized (
      select start.started_at, verdict.artifact_id from start cross join lateral (
        select artifact_ids[1] as artifact_id from running_verdict
        where org_id = ${ctx.org} and environment_id = start.environment_id and no = start.no
        order by from_index desc limit 1
      ) as verdict
      where verdict.artifact_id is not null
    ), committed as materialized (
      select artifact.id, ${commitTime('artifact.content')} as at
      from artifact join (select distinct artifact_id from started) as wanted on wanted.artifact_id = artifact.id
      where artifact.org_id = ${ctx.org}
    )
    select bucket, percentile_cont(array[0.5, 0.9]) within group (order by seconds) as quantiles
    from (
      select ${bucketOf(buckets)} as bucket, extract(epoch from start.started_at)::double precision - committed.at as seconds
      from started as start join committed on committed.id = start.artifact_id
      where ${isCommitTimeSql(sql`committed.at`)}
    ) as timed
    group by grouping sets ((bucket), ())
    having count(*) > 0`.execute(ctx.db);
  return rows;
}

/** Identified runs that started: all of each environment, or the newest. */
function starts(
  ctx: Ctx,
  environmentIds: readonly string[],
  { from, to }: Buckets,
  newest?: number,
): RawBuilder<unknown> {
  return sql`
    select start.* from unnest(${environmentIds}::uuid[]) as member (id) cross join lateral (
      select snapshot.created_at as started_at, running.environment_id, running.no
      from snapshot join running on running.org_id = ${ctx.org} and running.environment_id = snapshot.environment_id
        and running.from_index = snapshot.index and running.fingerprint <> ''
      where snapshot.org_id = ${ctx.org} and snapshot.environment_id = member.id
        and snapshot.started_count > 0 and snapshot.created_at >= ${from} and snapshot.created_at <= ${to}
      ${newest === undefined ? sql`` : sql`order by snapshot.created_at desc, running.no desc limit ${newest}`}
    ) as start`;
}

function bucketOf({ first, seconds }: Buckets): RawBuilder<number> {
  return sql`floor((extract(epoch from start.started_at) - ${first.getTime() / 1000}::numeric) / ${seconds}::integer)::integer`;
}
