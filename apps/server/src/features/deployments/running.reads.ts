import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { INDEXES_READ, readRelatives } from '../provenance/image.reads.ts';

const ENVIRONMENTS_READ = 10_000;
/** An artifact with several names may exit in another order than it started; the last few runs decide. */
const RUNS_READ = 20;
const STARTS_SHOWN = 100;
const HISTORY_ENVIRONMENTS = 100;
const HISTORY_RUNS = 100;
const HISTORY_SHOWN = 100;
const LIVE_REPORTS_READ = 100_000;
const LIVE_SHOWN = 1_000;

/** The number of environments shown of one artifact, latest change first. */
export const ENVIRONMENTS_SHOWN = 1_000;

/** The runs of an artifact in an environment. */
export interface ArtifactPresence {
  /** Its own, or those of the image index that lists it and of the platforms that it lists. */
  readonly fingerprints: readonly string[];
  readonly environment_id: string;
  readonly environment_name: string;
  readonly is_archived: boolean;
  readonly first_started_at: Date;
  readonly changed_at: Date;
  /** The snapshot in which it started, if it runs there now. */
  readonly running_index: number | null;
  /** The snapshot in which it last left. */
  readonly exited_index: number | null;
  /** The snapshots in which it started, the newest hundred. */
  readonly deployments: number[];
}

/**
 * Returns where artifacts run and ran, by fingerprint, latest change first. An image index runs where one of its
 * platforms does, and the other way round.
 */
export async function readWhereabouts(
  ctx: Ctx,
  fingerprints: readonly string[],
): Promise<ReadonlyMap<string, readonly ArtifactPresence[]>> {
  const wanted = [...new Set(fingerprints)];
  const relatives = await readRelatives(ctx, wanted);
  const related = [...relatives.values()].flat().map(({ fingerprint }) => fingerprint);
  const placesOf = await readPlaces(ctx, [...new Set([...wanted, ...related])]);
  return new Map(
    wanted.flatMap((fingerprint): [string, readonly ArtifactPresence[]][] => {
      const own = [fingerprint, ...(relatives.get(fingerprint) ?? []).map((relative) => relative.fingerprint)];
      const places = [...new Set(own)].flatMap((one) => placesOf.get(one) ?? []);
      return places.length === 0 ? [] : [[fingerprint, inEnvironments(places)]];
    }),
  );
}

/** Two platforms of one index may run in one environment. */
function inEnvironments(places: readonly Place[]): ArtifactPresence[] {
  const merged = Array.from(
    Map.groupBy(places, (place) => place.environment_id).values(),
    ([first, ...others]): ArtifactPresence[] => (first ? [others.reduce(merge, toWhereabouts(first))] : []),
  ).flat();
  return merged.sort((a, b) => b.changed_at.getTime() - a.changed_at.getTime());
}

function toWhereabouts({ fingerprint, ...place }: Place): ArtifactPresence {
  return { ...place, fingerprints: [fingerprint] };
}

function merge(one: ArtifactPresence, other: Place): ArtifactPresence {
  const later = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.max(a, b));
  const starts = [...new Set([...one.deployments, ...other.deployments])].sort((a, b) => a - b);
  return {
    ...one,
    fingerprints: [...one.fingerprints, other.fingerprint],
    first_started_at: new Date(Math.min(one.first_started_at.getTime(), other.first_started_at.getTime())),
    changed_at: new Date(Math.max(one.changed_at.getTime(), other.changed_at.getTime())),
    running_index: later(one.running_index, other.running_index),
    exited_index: later(one.exited_index, other.exited_index),
    deployments: starts.slice(-STARTS_SHOWN),
  };
}

type Place = Omit<ArtifactPresence, 'fingerprints'> & { readonly fingerprint: string };

async function readPlaces(ctx: Ctx, wanted: readonly string[]): Promise<ReadonlyMap<string, readonly Place[]>> {
  if (wanted.length === 0) return new Map();
  const run = (fingerprint: string) => sql`running.org_id = ${ctx.org} and running.fingerprint = ${sql.ref(fingerprint)}
    and running.fingerprint <> ''`;
  const here = sql`${run('place.fingerprint')} and running.environment_id = place.environment_id`;
  const timeOf = (index: string) => sql`(
    select created_at from snapshot
    where org_id = ${ctx.org} and environment_id = place.environment_id and index = ${sql.ref(index)})`;
  // Skips from one environment to the next in the index: an artifact may have started a million times in one of them.
  const { rows } = await sql<Place>`
    with recursive place (fingerprint, environment_id) as (
      select wanted.fingerprint, (
        select running.environment_id from running where ${run('wanted.fingerprint')}
        order by running.environment_id limit 1)
      from unnest(${wanted}::text[]) as wanted (fingerprint)
      union all
      select place.fingerprint, (
        select running.environment_id from running
        where ${run('place.fingerprint')} and running.environment_id > place.environment_id
        order by running.environment_id limit 1)
      from place where place.environment_id is not null
    )
    select place.fingerprint, place.environment_id, environment.name as environment_name,
      environment.archived_at is not null as is_archived, ${timeOf('oldest.from_index')} as first_started_at,
      ${timeOf('recent.changed_index')} as changed_at, live.from_index as running_index, recent.exited_index,
      newest.deployments
    from (select * from place where environment_id is not null limit ${ENVIRONMENTS_READ}) as place
    join environment on environment.org_id = ${ctx.org} and environment.id = place.environment_id
    cross join lateral (select from_index from running where ${here} order by no limit 1) as oldest
    cross join lateral (select deployments from running where ${here} order by no desc limit 1) as newest
    cross join lateral (
      select max(until_index) as exited_index, greatest(max(from_index), max(until_index)) as changed_index from (
        select from_index, until_index from running where ${here} order by no desc limit ${RUNS_READ}
      ) as run
    ) as recent
    cross join lateral (
      select max(from_index) as from_index from running where ${here} and until_index is null
    ) as live
    order by changed_at desc, environment_name`.execute(ctx.db);
  return Map.groupBy(rows, (row) => row.fingerprint);
}

/** Where an artifact runs now, and where it no longer does. Archived environments are in neither. */
export function placesOf(all: readonly ArtifactPresence[]) {
  const active = all.filter((place) => !place.is_archived);
  const placed = (places: readonly ArtifactPresence[], index: 'running_index' | 'exited_index') =>
    places.slice(0, ENVIRONMENTS_SHOWN).map((place) => ({
      environment_name: place.environment_name,
      snapshot_index: place[index] ?? 0,
    }));
  return {
    running: placed(
      active.filter((place) => place.running_index !== null),
      'running_index',
    ),
    exited: placed(
      active.filter((place) => place.running_index === null),
      'exited_index',
    ),
  };
}

export interface RunEvent {
  readonly environment_name: string;
  readonly index: number;
  readonly kind: 'started' | 'stopped';
  readonly at: Date;
}

/** When an artifact started and stopped running: the newest hundred times, oldest first. */
export async function listRunEvents(ctx: Ctx, all: readonly ArtifactPresence[]): Promise<RunEvent[]> {
  const recent = all.slice(0, HISTORY_ENVIRONMENTS);
  if (recent.length === 0) return [];
  const ran = recent.flatMap((place) => place.fingerprints.map((fingerprint) => ({ ...place, fingerprint })));
  const { rows } = await sql<RunEvent>`
    select distinct environment.name as environment_name, event.index, event.kind, snapshot.created_at as at
    from unnest(${ran.map((place) => place.environment_id)}::uuid[], ${ran.map((place) => place.fingerprint)}::text[])
      as place (environment_id, fingerprint)
    join environment on environment.org_id = ${ctx.org} and environment.id = place.environment_id
    cross join lateral (
      select from_index, until_index from running
      where org_id = ${ctx.org} and fingerprint = place.fingerprint and fingerprint <> ''
        and environment_id = place.environment_id
      order by no desc limit ${HISTORY_RUNS}
    ) as run
    cross join lateral (values ('started', run.from_index), ('stopped', run.until_index)) as event (kind, index)
    join snapshot on snapshot.org_id = ${ctx.org} and snapshot.environment_id = place.environment_id
      and snapshot.index = event.index
    order by at desc, environment_name desc, index desc, kind desc limit ${HISTORY_SHOWN}`.execute(ctx.db);
  return rows.reverse();
}

interface LiveArtifact {
  readonly fingerprint: string;
  readonly filename: string;
  readonly flow_name: string;
  readonly commit_sha: string | null;
  readonly environments: string[];
}

/** The artifacts of a repository that run in an environment now, latest report first. */
export async function listLiveArtifacts(ctx: Ctx, repositoryId: string): Promise<LiveArtifact[]> {
  const { rows } = await sql<LiveArtifact>`
    with reported as (
      select fingerprint, flow_id, filename, commit_sha, receipt from artifact
      where org_id = ${ctx.org} and repository_id = ${repositoryId} order by receipt desc limit ${LIVE_REPORTS_READ}
    ), live as (
      select distinct on (fingerprint, flow_id) * from reported
      where exists (
        select from (${knownAs(ctx, 'reported.fingerprint')}) as image
        join running on ${isLive(ctx, 'image.fingerprint')})
      order by fingerprint, flow_id, receipt desc
    )
    select live.fingerprint, live.filename, flow.name as flow_name, live.commit_sha, place.environments
    from live join flow on flow.org_id = ${ctx.org} and flow.id = live.flow_id
    cross join lateral (
      select array_agg(name order by name) as environments from (
        select distinct environment.name from (${knownAs(ctx, 'live.fingerprint')}) as image
        join running on ${isLive(ctx, 'image.fingerprint')}
        join environment on environment.org_id = ${ctx.org} and environment.id = running.environment_id
          and environment.archived_at is null
        limit ${ENVIRONMENTS_SHOWN}
      ) as environment
    ) as place
    where place.environments is not null
    order by live.receipt desc limit ${LIVE_SHOWN}`.execute(ctx.db);
  return rows;
}

/** An artifact, the image indexes that list it and the platforms that it lists. */
export function knownAs(ctx: Ctx, fingerprint: string): RawBuilder<unknown> {
  const known = sql.ref(fingerprint);
  return sql`
    select ${known} as fingerprint
    union all
    (select index_fingerprint from image_platform
     where org_id = ${ctx.org} and platform_fingerprint = ${known} and is_listed
     order by receipt desc limit ${INDEXES_READ})
    union all
    select platform_fingerprint from image_platform
    where org_id = ${ctx.org} and index_fingerprint = ${known} and is_listed`;
}

function isLive(ctx: Ctx, fingerprint: string): RawBuilder<boolean> {
  return sql`running.org_id = ${ctx.org} and running.fingerprint = ${sql.ref(fingerprint)}
    and running.fingerprint <> '' and running.until_index is null`;
}

/** The commit of what a flow runs in environments; with several artifacts, the one that started last. */
export async function findRunningCommit(
  ctx: Ctx,
  environmentIds: readonly string[],
  flowId: string,
): Promise<string | null> {
  const { rows } = await sql<{ commit_sha: string | null }>`
    select report.commit_sha from running
    cross join lateral (
      select artifact_ids from running_verdict
      where org_id = ${ctx.org} and environment_id = running.environment_id and no = running.no and until_index is null
      limit 1
    ) as verdict
    cross join lateral unnest(verdict.artifact_ids) as known (artifact_id)
    cross join lateral (
      select commit_sha from artifact
      where org_id = ${ctx.org} and id = known.artifact_id and flow_id = ${flowId} limit 1
    ) as report
    cross join lateral (
      select created_at from snapshot
      where org_id = ${ctx.org} and environment_id = running.environment_id and index = running.from_index limit 1
    ) as made
    where running.org_id = ${ctx.org} and running.environment_id = any(${environmentIds}::uuid[])
      and running.until_index is null
    order by made.created_at desc, running.no desc limit 1`.execute(ctx.db);
  return rows[0]?.commit_sha ?? null;
}
