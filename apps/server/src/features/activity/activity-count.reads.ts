import { sql } from 'kysely';
import type { Buckets } from '../../platform/buckets.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { type ActivityFilter, conditionsOf, isVisible, MAX_SCANNED, NOT_FREQUENT, rangeOf } from './activity.reads.ts';

/** Entries of a period that are counted, the newest first, however few of them match. */
export const MAX_COUNTED = 100_000;

export interface ActivityCounts {
  /** By bucket. */
  readonly counts: ReadonlyMap<number, number>;
  /** The time of the oldest counted entry, if the period has more. */
  readonly countedFrom: Date | null;
}

/** The buckets cover the period of the filter. */
export async function countEntries(
  ctx: Ctx,
  filter: ActivityFilter,
  buckets: Buckets,
  most = MAX_COUNTED,
): Promise<ActivityCounts> {
  const range = await rangeOf(ctx, { ...filter, from: buckets.from, to: buckets.to }, undefined);
  const { rows } = await sql<{ bucket: number; entries: number }>`
    select floor(extract(epoch from recorded_at - ${buckets.first}::timestamptz) / ${buckets.seconds}::int)::int as bucket,
      count(*)::int as entries
    from (
      select type, version, recorded_at, actor_name, subject_kind from journal
      where ${range} order by seq desc limit ${most}
    ) as counted
    where ${sql.join(conditionsOf(ctx, filter), sql` and `)}
    group by bucket`.execute(ctx.db);
  const { rows: cut } = await sql<{ recorded_at: Date }>`
    select (array_agg(recorded_at order by seq desc))[1] as recorded_at from (
      select seq, recorded_at from journal where ${range} order by seq desc offset ${most - 1} limit 2
    ) as oldest having count(*) = 2`.execute(ctx.db);
  return {
    counts: new Map(rows.map(({ bucket, entries }) => [bucket, entries])),
    countedFrom: cut[0]?.recorded_at ?? null,
  };
}

interface NamedActor {
  readonly name: string;
  readonly last_at: Date;
}

/** People record little of what the newest entries are, so that the rest is searched, too. */
export async function listActorsNamed(ctx: Ctx, part: string, limit: number): Promise<NamedActor[]> {
  const { rows } = await sql<NamedActor>`
    select actor_name as name, max(recorded_at) as last_at from (
      (select seq, actor_name, recorded_at, type from journal
        where org_id = ${ctx.org} order by seq desc limit ${MAX_SCANNED})
      union all
      (select seq, actor_name, recorded_at, type from journal
        where org_id = ${ctx.org} and ${NOT_FREQUENT} order by seq desc limit ${MAX_SCANNED})
    ) as newest
    where ${isVisible(ctx)} and strpos(lower(actor_name), lower(${part})) > 0
    group by actor_name order by max(seq) desc limit ${limit}`.execute(ctx.db);
  return rows;
}
