import { nodesAt } from '@waymark/snapshots';
import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';

/** Of the runs that ended in the window, only those that ended last are read. */
const ENDED_MAX = 20_000;
/** Of one run, and of all together. */
const VERDICTS_MAX = 200;
const VERDICTS_PER_QUERY = 20_000;
/** More than can be made during this read, so that an interval that ends meanwhile is still found. */
const MADE_MEANWHILE = 1_000_000;

/** The snapshots in force during a window: from the one when it begins to the one when it ends. */
export interface SnapshotSpan {
  readonly environmentId: string;
  readonly first: number;
  readonly last: number;
}

export interface LanePage {
  readonly nameContains: string | undefined;
  readonly page: number;
  readonly perPage: number;
  /** In all of its lanes together. */
  readonly maxRuns: number;
}

interface Lane {
  readonly place: number;
  readonly name: string;
  /** The flow whose template names it. */
  readonly flow_name: string | null;
}

export interface LaneRun {
  readonly place: number;
  readonly no: number;
  readonly fingerprint: string;
  readonly name: string;
  readonly from_index: number;
  readonly until_index: number | null;
  readonly instances: number;
}

export interface LanesRead {
  readonly total: number;
  readonly lanes: readonly Lane[];
  /** Ordered by end, latest first; open runs come first. */
  readonly runs: readonly LaneRun[];
  /** When there were too many: the first snapshot from which none is missing, possibly after those of the window. */
  readonly knownFrom: number | undefined;
}

interface LanesFound {
  readonly total: number;
  readonly lanes: Lane[];
  readonly runs: LaneRun[];
  /** How many ended in the window, and the first snapshot without the earliest of them. */
  readonly ended: number;
  readonly first_ended: number | null;
}

const NO_LANES: LanesRead = { total: 0, lanes: [], runs: [], knownFrom: undefined };

/** A page of lanes, by name, with their runs. */
export async function readLanes(ctx: Ctx, held: SnapshotSpan, asked: LanePage): Promise<LanesRead> {
  const { nameContains, page, perPage, maxRuns } = asked;
  if (maxRuns === 0) return NO_LANES;
  const { rows } = await sql<LanesFound>`
    with held as materialized (${goingOn(ctx, held)} union all (${endedIn(ctx, held)})), laned as (
      select held.*,
        case when is_named then substr(lineage, ${FLOW_AT}, ${UUID_LENGTH})::uuid end as flow_id,
        case when is_named then substr(lineage, ${FLOW_AT + UUID_LENGTH + 1}) else ${withoutVersion} end as lane_name
      from (select *, starts_with(lineage, ${TEMPLATE}) as is_named from held) as held
    ), lane as (
      select laned.lane_name, laned.flow_id, flow.name as flow_name
      from laned left join flow on flow.org_id = ${ctx.org} and flow.id = laned.flow_id
      ${nameContains === undefined ? sql`` : sql`where strpos(lower(laned.lane_name), lower(${nameContains})) > 0`}
      group by laned.lane_name, laned.flow_id, flow.name
    ), page as (
      select lane.*, row_number() over ${BY_NAME} as place from lane
      order by place limit ${perPage} offset ${(page - 1) * perPage}
    ), shown as (
      select page.place, laned.no, laned.fingerprint, laned.name, laned.from_index, laned.until_index
      from page join laned on laned.lane_name = page.lane_name and laned.flow_id is not distinct from page.flow_id
      order by coalesce(laned.until_index, ${sql.lit(2 ** 31 - 1)}) desc, laned.no desc limit ${maxRuns + 1}
    )
    select (select count(*) from lane) as total, 
      (select count(*) from held where until_index <= ${held.last}) as ended,
      (select min(until_index) from held) as first_ended,
      coalesce((select json_agg(json_build_object('place', place, 'name', lane_name, 'flow_name', flow_name) order by place)
        from page), '[]') as lanes,
      coalesce((select json_agg(run) from (
        select shown.*, coalesce(counted.count, 0) as instances from shown left join lateral (
          select count from running_instances
          where org_id = ${ctx.org} and environment_id = ${held.environmentId} and no = shown.no
            and from_index <= ${held.last}
          order by from_index desc limit 1
        ) as counted on true
      ) as run), '[]') as runs`.execute(ctx.db);
  const [found] = rows;
  if (!found) return NO_LANES;
  const { total, lanes, runs } = found;
  return { total, lanes, runs: runs.slice(0, maxRuns), knownFrom: knownFrom(found, held, maxRuns) };
}

function knownFrom(
  { runs, ended, first_ended }: LanesFound,
  { last }: SnapshotSpan,
  maxRuns: number,
): number | undefined {
  const [leftOut] = runs.slice(maxRuns);
  if (leftOut) return Math.min(last + 1, leftOut.until_index ?? last + 1);
  return ended > ENDED_MAX ? (first_ended ?? last + 1) : undefined;
}

/** A lineage is `template`, the flow, and the name in its template, or `name` and the name. */
const TEMPLATE = sql.lit('template ');
const FLOW_AT = 10;
const UUID_LENGTH = 36;
const BY_NAME = sql`(order by lower(lane.lane_name), lane.lane_name, lane.flow_name, lane.flow_id)`;

/** A colon before a slash belongs to a port. */
const withoutVersion = sql`coalesce(
  nullif(regexp_replace(name, '(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?(@[^/@]+)?$', ''), ''), name)`;

const RUN = sql.raw('no, fingerprint, name, from_index, until_index, lineage');

/** The runs in the last snapshot, whether or not they have ended since. */
function goingOn(ctx: Ctx, { environmentId, last }: SnapshotSpan): RawBuilder<unknown> {
  const run = sql`
    select ${RUN} from running where org_id = ${ctx.org} and environment_id = ${environmentId}`;
  const nodes = nodesAt(last, last + MADE_MEANWHILE);
  const heldBy = (some: readonly number[], isHeld: RawBuilder<unknown>) => sql`
    select earlier.* from unnest(${some}::integer[]) as at (node)
    cross join lateral (${run} and node = at.node and ${isHeld} offset 0) as earlier`;
  return sql`
    ${run} and until_index is null and from_index <= ${last}
    union all
    ${heldBy(
      nodes.filter((node) => node <= last),
      sql`until_index > ${last}`,
    )}
    union all
    ${heldBy(
      nodes.filter((node) => node > last),
      sql`from_index <= ${last} and until_index is not null`,
    )}`;
}

function endedIn(ctx: Ctx, { environmentId, first, last }: SnapshotSpan): RawBuilder<unknown> {
  return sql`
    select ${RUN} from running
    where org_id = ${ctx.org} and environment_id = ${environmentId} and until_index > ${first} and until_index <= ${last}
    order by until_index desc, no desc limit ${ENDED_MAX + 1}`;
}

export interface RunVerdicts {
  readonly no: number;
  readonly from_index: number;
  readonly until_index: number | null;
  readonly compliance: RunCompliance;
  /** The newest report of the artifact. */
  readonly artifact_id: string | null;
}

/** Verdicts on runs in the window, newest first. */
export async function listVerdicts(
  ctx: Ctx,
  { environmentId, first, last }: SnapshotSpan,
  nos: readonly number[],
): Promise<RunVerdicts[]> {
  if (nos.length === 0) return [];
  const { rows } = await sql<RunVerdicts>`
    select wanted.no, verdict.* from unnest(${nos}::integer[]) as wanted (no)
    cross join lateral (
      select from_index, until_index, compliance, artifact_ids[1] as artifact_id from running_verdict
      where org_id = ${ctx.org} and environment_id = ${environmentId} and no = wanted.no and from_index <= ${last}
        and (until_index is null or until_index > ${first})
      order by from_index desc limit ${VERDICTS_MAX}
    ) as verdict
    order by verdict.from_index desc, wanted.no limit ${VERDICTS_PER_QUERY}`.execute(ctx.db);
  return rows;
}

export interface RunProvenance {
  readonly id: string;
  readonly flow_name: string;
  readonly trail_name: string;
  readonly commit_sha: string | null;
}

/** Provenance of artifacts, by the id of the report. Each is looked up by id: there are far more than are needed. */
export async function readRunProvenances(
  ctx: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RunProvenance>> {
  const { rows } = await sql<RunProvenance>`
    select report.id, flow.name as flow_name, trail.name as trail_name, report.commit_sha
    from unnest(${[...new Set(ids)]}::uuid[]) as wanted (id)
    cross join lateral (
      select id, flow_id, trail_id, commit_sha from artifact where org_id = ${ctx.org} and id = wanted.id limit 1
    ) as report
    cross join lateral (
      select name from trail where org_id = ${ctx.org} and id = report.trail_id limit 1
    ) as trail
    cross join lateral (
      select name from flow where org_id = ${ctx.org} and id = report.flow_id limit 1
    ) as flow`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}

interface WaivedRow {
  readonly environment_id: string;
  readonly from_at: Date;
  readonly until_at: Date | null;
}

const WAIVED_MAX = 10_000;

/** When environments ran something because of a waiver; the latest 10,000 of each. */
export async function listWaived(ctx: Ctx, environmentIds: readonly string[]): Promise<WaivedRow[]> {
  const timeOf = (index: string) => sql`(
    select created_at from snapshot
    where org_id = ${ctx.org} and environment_id = wanted.environment_id and index = ${sql.ref(index)})`;
  const { rows } = await sql<WaivedRow>`
    select wanted.environment_id, ${timeOf('waived.from_index')} as from_at, ${timeOf('waived.until_index')} as until_at
    from unnest(${environmentIds}::uuid[]) as wanted (environment_id)
    cross join lateral (
      select distinct from_index, until_index from (
        select from_index, until_index from running_verdict
        where org_id = ${ctx.org} and environment_id = wanted.environment_id and compliance = 'waived'
        order by from_index desc limit ${WAIVED_MAX}
      ) as latest
    ) as waived`.execute(ctx.db);
  return rows;
}
