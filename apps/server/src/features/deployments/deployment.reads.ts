import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { cut } from '../../platform/db/paginate.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { findEnvironmentByName, listPhysical } from '../environments/environment.reads.ts';
import { commitTime } from './commit-time.reads.ts';
import type { DeploymentPlace } from './deployment-place.ts';

const CANDIDATES = 10;
/** The number of deployments that are searched for those of one flow before the page ends, and the number per query. */
const MAX_SEARCHED = 20_000;
const BATCH_SIZE = 250;

export interface DeploymentFilter {
  /** The whole org, including archived environments, unless given. */
  readonly environmentIds: readonly string[] | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly flowId: string | undefined;
}

/** Provenance is null when nobody reported the artifact. */
export interface DeploymentView extends DeploymentPlace {
  readonly environment_name: string;
  readonly is_archived: boolean;
  readonly fingerprint: string;
  readonly name: string;
  readonly until_index: number | null;
  readonly exited_at: Date | null;
  readonly flow_name: string | null;
  readonly trail_name: string | null;
  readonly template_name: string | null;
  readonly commit_sha: string | null;
  readonly commit_url: string | null;
  readonly committed_at: number | null;
  readonly replaced_index: number | null;
  readonly replaced_fingerprint: string | null;
  readonly replaced_name: string | null;
  readonly replaced_commit: string | null;
}

interface DeploymentPage {
  readonly deployments: readonly DeploymentView[];
  readonly next: DeploymentPlace | undefined;
}

/** The environment, or the members of a logical one. */
export async function findPhysicalIds(ctx: Ctx, name: string): Promise<string[]> {
  const physical = await listPhysical(ctx, await findEnvironmentByName(ctx, name));
  return physical.map(({ id }) => id);
}

/** Newest first. */
export async function listDeploymentPage(
  ctx: Ctx,
  filter: DeploymentFilter,
  perPage: number,
  after: DeploymentPlace | undefined,
): Promise<DeploymentPage> {
  const { places, end } = await listPlaces(ctx, filter, perPage + 1, after);
  const { shown, last } = cut(places, perPage);
  return { deployments: await readDeployments(ctx, shown), next: last ?? end };
}

/** How many started, of any flow; counts up to `most`. */
export async function countDeployments(ctx: Ctx, filter: DeploymentFilter, most: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from (${starts(ctx, filter, most, undefined)}) as start`.execute(ctx.db);
  return rows[0]?.total ?? 0;
}

interface Places {
  readonly places: readonly DeploymentPlace[];
  /** Where the search ended, if before the end of the list. */
  readonly end?: DeploymentPlace;
}

async function listPlaces(
  ctx: Ctx,
  filter: DeploymentFilter,
  limit: number,
  after: DeploymentPlace | undefined,
): Promise<Places> {
  if (filter.flowId !== undefined) return listPlacesOfFlow(ctx, { ...filter, flowId: filter.flowId }, limit, after);
  return { places: (await starts(ctx, filter, limit, after).execute(ctx.db)).rows };
}

/**
 * The flow of a run is known per run only. Runs are read in small batches: for many at once, PostgreSQL would sort all
 * of them.
 */
async function listPlacesOfFlow(
  ctx: Ctx,
  filter: DeploymentFilter & { flowId: string },
  limit: number,
  after: DeploymentPlace | undefined,
): Promise<Places> {
  const places: DeploymentPlace[] = [];
  let end = after;
  for (let searched = 0; searched < MAX_SEARCHED; searched += BATCH_SIZE) {
    const part = await listStarts(ctx, filter, end);
    places.push(...part.filter((start) => start.is_of_flow));
    if (places.length >= limit) return { places: places.slice(0, limit) };
    end = part.at(-1);
    if (!end || part.length < BATCH_SIZE) return { places };
  }
  return { places, ...(end && { end }) };
}

async function listStarts(
  ctx: Ctx,
  filter: DeploymentFilter & { flowId: string },
  after: DeploymentPlace | undefined,
): Promise<(DeploymentPlace & { is_of_flow: boolean })[]> {
  const { rows } = await sql<DeploymentPlace & { is_of_flow: boolean }>`
    select start.*, ${isOfFlow(ctx, filter.flowId)} as is_of_flow
    from (${starts(ctx, filter, BATCH_SIZE, after)}) as start ${NEWEST_FIRST}`.execute(ctx.db);
  return rows;
}

const NEWEST_FIRST = sql`order by started_at desc, environment_id desc, index desc, no desc`;

/** Identified runs that started. The offset makes it a loop over snapshots, which ends when enough is found. */
function starts(
  ctx: Ctx,
  filter: DeploymentFilter,
  limit: number,
  after: DeploymentPlace | undefined,
): RawBuilder<DeploymentPlace> {
  const of = (environment: RawBuilder<unknown>) => sql<DeploymentPlace>`
    select snapshot.created_at as started_at, snapshot.environment_id, snapshot.index, run.no
    from snapshot cross join lateral (
      select running.no from running
      where running.org_id = ${ctx.org} and running.environment_id = snapshot.environment_id
        and running.from_index = snapshot.index and running.fingerprint <> '' ${isBehind(after)}
      offset 0
    ) as run
    where snapshot.org_id = ${ctx.org} and snapshot.started_count > 0 ${environment} ${isWithin(filter, after)}
    ${NEWEST_FIRST} limit ${limit}`;
  if (filter.environmentIds === undefined) return of(sql``);
  return sql`
    select start.* from unnest(${filter.environmentIds}::uuid[]) as member (id)
    cross join lateral (${of(sql`and snapshot.environment_id = member.id`)}) as start
    ${NEWEST_FIRST} limit ${limit}`;
}

function isWithin({ from, to }: DeploymentFilter, after: DeploymentPlace | undefined): RawBuilder<unknown> {
  return sql`
    ${from ? sql`and snapshot.created_at >= ${from}` : sql``}
    ${to ? sql`and snapshot.created_at <= ${to}` : sql``}
    ${
      after
        ? sql`and snapshot.created_at <= ${after.started_at} and (snapshot.created_at, snapshot.environment_id, snapshot.index)
            <= (${after.started_at}, ${after.environment_id}::uuid, ${after.index}::integer)`
        : sql``
    }`;
}

function isBehind(after: DeploymentPlace | undefined): RawBuilder<unknown> {
  if (!after) return sql``;
  return sql`and (snapshot.created_at, snapshot.environment_id, snapshot.index, running.no)
    < (${after.started_at}, ${after.environment_id}::uuid, ${after.index}::integer, ${after.no}::integer)`;
}

function isOfFlow(ctx: Ctx, flowId: string): RawBuilder<boolean> {
  return sql`exists (
    select from (${newestVerdict(ctx, 'start')}) as verdict
    join artifact on artifact.org_id = ${ctx.org} and artifact.id = any(verdict.artifact_ids)
      and artifact.flow_id = ${flowId})`;
}

/** The state of a run now, or when it ended. */
function newestVerdict(ctx: Ctx, run: 'start' | 'running' | 'replaced'): RawBuilder<unknown> {
  return sql`
    select artifact_ids, replaced_no from running_verdict
    where org_id = ${ctx.org} and environment_id = ${sql.ref(`${run}.environment_id`)} and no = ${sql.ref(`${run}.no`)}
    order by from_index desc limit 1`;
}

async function readDeployments(
  ctx: Ctx,
  places: readonly Pick<DeploymentPlace, 'environment_id' | 'no'>[],
): Promise<DeploymentView[]> {
  if (places.length === 0) return [];
  const { rows } = await sql<DeploymentView>`
    select began.created_at as started_at, running.environment_id, running.from_index as index, running.no,
      environment.name as environment_name, environment.archived_at is not null as is_archived, running.fingerprint, running.name, running.until_index,
      ended.created_at as exited_at, flow.name as flow_name, trail.name as trail_name, artifact.template_name,
      artifact.commit_sha, artifact.commit_url, ${commitTime('artifact.content')} as committed_at,
      replaced.from_index as replaced_index, replaced.fingerprint as replaced_fingerprint,
      replaced.name as replaced_name, replaced_artifact.commit_sha as replaced_commit
    from unnest(${places.map((place) => place.environment_id)}::uuid[], ${places.map((place) => place.no)}::integer[])
      with ordinality as start (environment_id, no, place)
    join running on running.org_id = ${ctx.org} and running.environment_id = start.environment_id
      and running.no = start.no
    join environment on environment.org_id = ${ctx.org} and environment.id = running.environment_id
    join snapshot as began on began.org_id = ${ctx.org} and began.environment_id = running.environment_id
      and began.index = running.from_index
    left join snapshot as ended on ended.org_id = ${ctx.org} and ended.environment_id = running.environment_id
      and ended.index = running.until_index
    left join lateral (${newestVerdict(ctx, 'running')}) as verdict on true
    left join artifact on artifact.org_id = ${ctx.org} and artifact.id = verdict.artifact_ids[1]
    left join flow on flow.org_id = ${ctx.org} and flow.id = artifact.flow_id
    left join trail on trail.org_id = ${ctx.org} and trail.id = artifact.trail_id
    left join running as replaced on replaced.org_id = ${ctx.org}
      and replaced.environment_id = running.environment_id and replaced.no = verdict.replaced_no
    left join lateral (${newestVerdict(ctx, 'replaced')}) as replaced_verdict on true
    left join artifact as replaced_artifact on replaced_artifact.org_id = ${ctx.org}
      and replaced_artifact.id = replaced_verdict.artifact_ids[1]
    order by start.place`.execute(ctx.db);
  return rows;
}

/** The newest start of an artifact in an environment, or the one in a snapshot. */
export async function readDeployment(
  ctx: Ctx,
  environmentName: string,
  prefix: string,
  index: number | undefined,
): Promise<DeploymentView> {
  const environmentIds = await findPhysicalIds(ctx, environmentName);
  const fingerprint = await resolve(ctx, environmentIds, environmentName, prefix);
  const { rows } = await sql<DeploymentPlace>`
    select snapshot.created_at as started_at, snapshot.environment_id, snapshot.index, run.no
    from unnest(${environmentIds}::uuid[]) as member (id)
    cross join lateral (
      select no, from_index from running
      where org_id = ${ctx.org} and fingerprint = ${fingerprint} and fingerprint <> '' and environment_id = member.id
        ${index === undefined ? sql`` : sql`and from_index = ${index}`}
      order by no desc limit 1
    ) as run
    join snapshot on snapshot.org_id = ${ctx.org} and snapshot.environment_id = member.id
      and snapshot.index = run.from_index
    ${NEWEST_FIRST} limit 1`.execute(ctx.db);
  const [deployment] = await readDeployments(ctx, rows);
  if (!deployment) throw notFound('Deployment', `${environmentName}#${index}@${prefix}`);
  return deployment;
}

/** Domain rule: no match is a 404, several are refused with up to ten of them. */
async function resolve(
  ctx: Ctx,
  environmentIds: readonly string[],
  environmentName: string,
  prefix: string,
): Promise<string> {
  const next = (from: RawBuilder<unknown>) => sql`(
    select fingerprint from running
    where org_id = ${ctx.org} and fingerprint ${from} and fingerprint < ${`${prefix}g`} and fingerprint <> ''
      and environment_id = any(${environmentIds}::uuid[])
    order by fingerprint limit 1)`;
  // Skips from one fingerprint to the next: an artifact may have started thousands of times.
  const { rows } = await sql<{ fingerprint: string }>`
    with recursive found (fingerprint) as (
      ${next(sql`>= ${prefix}`)}
      union all
      select ${next(sql`> found.fingerprint`)} from found where found.fingerprint is not null
    )
    select fingerprint from found where fingerprint is not null limit ${CANDIDATES + 1}`.execute(ctx.db);
  const [match] = rows;
  if (!match) throw notFound('Deployment', `${environmentName}@${prefix}`);
  if (rows.length === 1) return match.fingerprint;
  const shown = rows.slice(0, CANDIDATES).map((row) => row.fingerprint);
  const fits = `${shown.join(', ')}${rows.length > CANDIDATES ? ', …' : ''}`;
  throw invalid(`'${prefix}' matches more than one fingerprint in environment '${environmentName}': ${fits}`, {
    fingerprint: `matches ${fits}`,
  });
}
