import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { type EventWindow, indexesIn } from './event-window.ts';

/** A physical environment. */
export interface PhysicalEnvironment {
  readonly id: string;
  readonly name: string;
  readonly snapshot_count: number;
}

/**
 * Events of an environment are counted from 1 through all of its snapshots. A range holds those after `before` up to
 * `upto`, which are all events of the snapshots from `first` to `last`.
 */
export interface EventRange {
  readonly environment: PhysicalEnvironment;
  readonly first: number;
  readonly last: number;
  readonly before: number;
  readonly upto: number;
}

/** Greater than any possible index. */
const NONE = 2_147_483_647;

/** The events of each environment in the window, in the order of the environments. */
export async function readRanges(
  ctx: Ctx,
  environments: readonly PhysicalEnvironment[],
  window: EventWindow,
): Promise<EventRange[]> {
  const bounds = environments.map((environment) => indexesIn(window, environment.snapshot_count));
  const found = await sql<{ first: number; last: number; before: number; upto: number }>`
    select bound.first, bound.last,
      coalesce((select event_total from snapshot
        where org_id = ${ctx.org} and environment_id = member.id and index = bound.first - 1), 0) as before,
      coalesce((select event_total from snapshot
        where org_id = ${ctx.org} and environment_id = member.id and index = bound.last), 0) as upto
    from unnest(${environments.map(({ id }) => id)}::uuid[], ${bounds.map(({ first }) => first)}::integer[],
      ${bounds.map(({ last }) => last)}::integer[]) with ordinality as member (id, first, last, place)
    cross join lateral (select ${firstIndex(ctx, window)} as first, ${lastIndex(ctx, window)} as last) as bound
    order by member.place`.execute(ctx.db);
  return environments.map((environment, i) => {
    const range = found.rows[i];
    if (!range || range.first > range.last) return { environment, first: 1, last: 0, before: 0, upto: 0 };
    return { environment, ...range };
  });
}

function firstIndex(ctx: Ctx, { lower }: EventWindow): RawBuilder<unknown> {
  if (lower?.kind !== 'moment') return sql`member.first`;
  return sql`coalesce((select index from snapshot
    where org_id = ${ctx.org} and environment_id = member.id and created_at >= ${lower.at}
    order by created_at, index limit 1), ${NONE})`;
}

function lastIndex(ctx: Ctx, { upper }: EventWindow): RawBuilder<unknown> {
  if (upper?.kind !== 'moment') return sql`member.last`;
  return sql`coalesce((select index from snapshot
    where org_id = ${ctx.org} and environment_id = member.id and created_at <= ${upper.at}
    order by created_at desc, index desc limit 1), 0)`;
}
