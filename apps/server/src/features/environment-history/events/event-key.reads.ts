import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { EventRange } from './event-range.reads.ts';

/** The order within a snapshot; then by name and fingerprint. */
export const eventKinds = ['exited', 'started', 'changed'] as const;
export type EventKind = (typeof eventKinds)[number];

const EXITED = 0;
const STARTED = 1;
const CHANGED = 2;

/** An event without the facts about it. */
export interface EventKey {
  readonly environment_id: string;
  readonly index: number;
  /** The place in `eventKinds`. */
  readonly kind: number;
  readonly no: number;
}

/** A part of an ordered list. */
export interface Cut {
  readonly offset: number;
  readonly limit: number;
  readonly oldestFirst: boolean;
}

/** Events `after` … `upto` of an environment by their numbers, oldest first. Costs the same at any place. */
export async function listKeys(ctx: Ctx, environmentId: string, after: number, upto: number): Promise<EventKey[]> {
  if (upto <= after) return [];
  const ends = await findEnds(ctx, environmentId, after, upto);
  if (!ends) return [];
  const between = sql`between ${ends.first} and ${ends.last}`;
  const { rows } = await sql<EventKey>`
    select environment_id, index, kind, no from (
      select environment_id, until_index as index, ${sql.lit(EXITED)} as kind, no, name, fingerprint from running
      where org_id = ${ctx.org} and environment_id = ${environmentId} and until_index ${between}
      union all
      select environment_id, from_index, ${sql.lit(STARTED)}, no, name, fingerprint from running
      where org_id = ${ctx.org} and environment_id = ${environmentId} and from_index ${between}
      union all
      select verdict.environment_id, verdict.from_index, ${sql.lit(CHANGED)}, verdict.no, running.name,
        running.fingerprint
      from running_verdict as verdict
      join running on running.org_id = verdict.org_id and running.environment_id = verdict.environment_id
        and running.no = verdict.no
      where verdict.org_id = ${ctx.org} and verdict.environment_id = ${environmentId}
        and verdict.from_index ${between} and verdict.cause in ('verdict', 'provenance')
    ) as event
    order by index, kind, name, fingerprint, no
    offset ${after - ends.before} limit ${upto - after}`.execute(ctx.db);
  return rows;
}

/** The snapshots that hold the first and the last of the events, and how many events precede these. */
async function findEnds(ctx: Ctx, environmentId: string, after: number, upto: number) {
  const holding = (event: number) => sql`(
    select index, event_total from snapshot
    where org_id = ${ctx.org} and environment_id = ${environmentId} and event_total >= ${event}
    order by event_total, index limit 1)`;
  const { rows } = await sql<{ first: number; last: number; before: number }>`
    select first.index as first, last.index as last, coalesce((
      select event_total from snapshot
      where org_id = ${ctx.org} and environment_id = ${environmentId} and index = first.index - 1), 0) as before
    from ${holding(after + 1)} as first cross join ${holding(upto)} as last`.execute(ctx.db);
  return rows[0];
}

/** Newest or oldest first over several environments: by time, then by their order, then by snapshot. */
export async function listMergedKeys(ctx: Ctx, ranges: readonly EventRange[], cut: Cut): Promise<EventKey[]> {
  const placed = await listPlaced(ctx, ranges, cut);
  const keys = new Map<string, EventKey[]>();
  for (const [environmentId, parts] of Map.groupBy(placed, (part) => part.id)) {
    const after = Math.min(...parts.map((part) => part.after));
    const upto = Math.max(...parts.map((part) => part.upto));
    const listed = await listKeys(ctx, environmentId, after, upto);
    for (const [index, some] of Map.groupBy(listed, (key) => key.index)) keys.set(`${environmentId} ${index}`, some);
  }
  return placed.flatMap(({ id, index }) => {
    const some = keys.get(`${id} ${index}`) ?? [];
    return cut.oldestFirst ? some : some.reverse();
  });
}

/** Some events of one snapshot: those after `after` up to `upto`. */
interface Placed {
  readonly id: string;
  readonly index: number;
  readonly after: number;
  readonly upto: number;
}

/** The snapshots whose events are in the cut, in the order of the list. Each environment is read only that far. */
async function listPlaced(ctx: Ctx, ranges: readonly EventRange[], cut: Cut): Promise<Placed[]> {
  const { offset, limit } = cut;
  const direction = directionOf(cut);
  const { rows } = await sql<{ id: string; index: number; event_total: number; events: number; reached: number }>`
    select id, index, event_total, events, reached from (
      select member.id, near.index, near.event_total, near.events,
        (sum(near.events) over (
          order by near.created_at ${direction}, member.place ${direction}, near.index ${direction}))::bigint as reached
      from unnest(${ranges.map(({ environment }) => environment.id)}::uuid[],
        ${ranges.map(({ before }) => before)}::bigint[], ${ranges.map(({ upto }) => upto)}::bigint[])
        with ordinality as member (id, before, upto, place)
      cross join lateral (
        select snapshot.index, snapshot.created_at, snapshot.event_total,
          snapshot.event_total - coalesce(previous.event_total, 0) as events
        from snapshot
        left join snapshot as previous on previous.org_id = snapshot.org_id
          and previous.environment_id = snapshot.environment_id and previous.index = snapshot.index - 1
        where snapshot.org_id = ${ctx.org} and snapshot.environment_id = member.id
          and snapshot.event_total > member.before and snapshot.event_total <= member.upto
          and snapshot.event_total > coalesce(previous.event_total, 0)
        order by snapshot.event_total ${direction}
        limit ${offset + limit}
      ) as near
    ) as placed
    where reached > ${offset} and reached - events < ${offset + limit}
    order by reached`.execute(ctx.db);
  return rows.map(({ id, index, event_total, events, reached }) => {
    const skipped = Math.max(0, offset - (reached - events));
    const shown = Math.min(events, offset + limit - (reached - events));
    const before = event_total - events;
    return cut.oldestFirst
      ? { id, index, after: before + skipped, upto: before + shown }
      : { id, index, after: event_total - shown, upto: event_total - skipped };
  });
}

/**
 * Only events of artifacts from any of the repositories, by what was known at the time. All of them are read to be
 * counted.
 */
export async function listRepositoryKeys(ctx: Ctx, ranges: readonly EventRange[], names: readonly string[], cut: Cut) {
  const direction = directionOf(cut);
  // In one environment snapshots have the same order by time and by number.
  const [time, join] =
    ranges.length === 1
      ? [sql``, sql``]
      : [
          sql`snapshot.created_at ${direction}, event.place ${direction},`,
          sql`join snapshot on snapshot.org_id = ${ctx.org} and snapshot.environment_id = event.environment_id
            and snapshot.index = event.index`,
        ];
  const { rows } = await sql<EventKey & { total: number; nth: number | null }>`
    ${repositoryEvents(ctx, ranges, names)}, shown as (
      select event.*, row_number() over (order by ${time} event.index ${direction}, event.kind ${direction},
        event.name ${direction}, event.fingerprint ${direction}, event.no ${direction}) as nth
      from event ${join}
      order by nth offset ${cut.offset} limit ${cut.limit}
    )
    select counted.total, shown.nth, shown.environment_id, shown.index, shown.kind, shown.no
    from (select count(*) as total from event) as counted left join shown on true
    order by shown.nth`.execute(ctx.db);
  return { total: rows[0]?.total ?? 0, keys: rows.filter((row) => row.nth !== null) };
}

function repositoryEvents(ctx: Ctx, ranges: readonly EventRange[], names: readonly string[]): RawBuilder<unknown> {
  return sql`with own as materialized (
      select artifact.id, artifact.fingerprint from repository
      join artifact on artifact.org_id = repository.org_id and artifact.repository_id = repository.id
      where repository.org_id = ${ctx.org} and repository.name = any(${names}::text[])
    ), reported as materialized (
      select id, fingerprint from own
      union all
      select own.id, image.platform_fingerprint from own
      join image_platform as image on image.org_id = ${ctx.org} and image.index_fingerprint = own.fingerprint
      union all
      select own.id, image.index_fingerprint from own
      join image_platform as image on image.org_id = ${ctx.org} and image.platform_fingerprint = own.fingerprint
    ), verdict as materialized (
      select member.*, running.no, running.name, running.fingerprint, running.until_index as exited_in,
        verdict.from_index, verdict.until_index, verdict.cause
      from unnest(${ranges.map(({ environment }) => environment.id)}::uuid[],
        ${ranges.map(({ first }) => first)}::integer[], ${ranges.map(({ last }) => last)}::integer[])
        with ordinality as member (environment_id, first, last, place)
      join running on running.org_id = ${ctx.org} and running.environment_id = member.environment_id
        and running.fingerprint <> '' and running.fingerprint in (select fingerprint from reported)
      join running_verdict as verdict on verdict.org_id = ${ctx.org}
        and verdict.environment_id = running.environment_id and verdict.no = running.no
      where exists (select from reported
        where reported.fingerprint = running.fingerprint and reported.id = any(verdict.artifact_ids))
    ), event as materialized (
      select environment_id, place, from_index as index, no, name, fingerprint,
        case cause when 'started' then ${sql.lit(STARTED)} else ${sql.lit(CHANGED)} end as kind
      from verdict where from_index between first and last and cause <> 'restated'
      union all
      select environment_id, place, exited_in, no, name, fingerprint, ${sql.lit(EXITED)}
      from verdict where until_index = exited_in and exited_in between first and last
    )`;
}

function directionOf({ oldestFirst }: Cut): RawBuilder<unknown> {
  return oldestFirst ? sql`asc` : sql`desc`;
}
