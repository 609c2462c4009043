import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { unprepared } from '../../../platform/db/statement.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import {
  holdingAt,
  nodesHolding,
  OF_ENVIRONMENT,
  type RunInterval,
  verdictsInInterval,
} from '../../snapshots/read/run-intervals.reads.ts';

/** Of the runs that ended in the window, only those that ended last are read. */
const ENDED_MAX = 20_000;
/** Of one run, and of all together. */
const VERDICTS_MAX = 200;
const VERDICTS_PER_QUERY = 20_000;

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

/** A lineage is `template`, the flow, and the name in its template, or `name` and the name. */
const TEMPLATE = 'template ';
const FLOW_AT = TEMPLATE.length + 1;
const NAME_AT = FLOW_AT + '00000000-0000-0000-0000-000000000000 '.length;

/** A colon before a slash belongs to a port. */
const WITHOUT_VERSION = `coalesce(
  nullif(regexp_replace(name, '(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?(@[^/@]+)?$', ''), ''), name)`;

const RUN = 'no, fingerprint, name, from_index, until_index, lineage';

const findLanes = unprepared<
  RunInterval &
    ReturnType<typeof nodesHolding> & {
      name_contains: string | undefined;
      per_page: number;
      skipped: number;
      max_runs: number;
    },
  LanesFound
>(
  'find_lanes',
  `with held as materialized (
     ${holdingAt({ table: 'running', columns: RUN, index: ':last' })}
     union all (
       select ${RUN} from running where ${OF_ENVIRONMENT} and until_index > :first and until_index <= :last
       order by until_index desc, no desc limit ${ENDED_MAX + 1}
     )
   ), laned as (
     select held.*,
       case when is_named then substr(lineage, ${FLOW_AT}, ${NAME_AT - FLOW_AT - 1})::uuid end as flow_id,
       case when is_named then substr(lineage, ${NAME_AT}) else ${WITHOUT_VERSION} end as lane_name
     from (select *, starts_with(lineage, '${TEMPLATE}') as is_named from held) as held
   ), lane as (
     select laned.lane_name, laned.flow_id, flow.name as flow_name
     from laned left join flow on flow.org_id = :org_id and flow.id = laned.flow_id
     where :name_contains::text is null or strpos(lower(laned.lane_name), lower(:name_contains::text)) > 0
     group by laned.lane_name, laned.flow_id, flow.name
   ), page as (
     select lane.*,
       row_number() over (order by lower(lane.lane_name), lane.lane_name, lane.flow_name, lane.flow_id) as place
     from lane order by place limit :per_page offset :skipped
   ), shown as (
     select page.place, laned.no, laned.fingerprint, laned.name, laned.from_index, laned.until_index
     from page join laned on laned.lane_name = page.lane_name and laned.flow_id is not distinct from page.flow_id
     order by coalesce(laned.until_index, ${2 ** 31 - 1}) desc, laned.no desc limit :max_runs + 1
   )
   select (select count(*) from lane) as total,
     (select count(*) from held where until_index <= :last) as ended,
     (select min(until_index) from held) as first_ended,
     coalesce((select json_agg(json_build_object('place', place, 'name', lane_name, 'flow_name', flow_name) order by place)
       from page), '[]') as lanes,
     coalesce((select json_agg(run) from (
       select shown.*, coalesce(counted.count, 0) as instances from shown left join lateral (
         select count from running_instances where ${OF_ENVIRONMENT} and no = shown.no and from_index <= :last
         order by from_index desc limit 1
       ) as counted on true
     ) as run), '[]') as runs`,
);

const NO_LANES: LanesRead = { total: 0, lanes: [], runs: [], knownFrom: undefined };

/** A page of lanes, by name, with their runs. */
export async function readLanes(ctx: Ctx, span: SnapshotSpan, asked: LanePage): Promise<LanesRead> {
  const { nameContains, page, perPage, maxRuns } = asked;
  if (maxRuns === 0) return NO_LANES;
  const [found] = await findLanes(ctx.db, {
    ...intervalOf(ctx, span),
    ...nodesHolding(span.last, span.last),
    name_contains: nameContains,
    per_page: perPage,
    skipped: (page - 1) * perPage,
    max_runs: maxRuns,
  });
  if (!found) return NO_LANES;
  const { total, lanes, runs } = found;
  return { total, lanes, runs: runs.slice(0, maxRuns), knownFrom: knownFrom(found, span, maxRuns) };
}

function intervalOf({ org }: Ctx, { environmentId, first, last }: SnapshotSpan): RunInterval {
  return { org_id: org, environment_id: environmentId, first, last };
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

export interface RunVerdicts {
  readonly no: number;
  readonly from_index: number;
  readonly until_index: number | null;
  readonly compliance: RunCompliance;
  /** The newest report of the artifact. */
  readonly artifact_id: string | null;
}

const listVerdictsOf = unprepared<RunInterval & { nos: readonly number[] }, RunVerdicts>(
  'list_lane_verdicts',
  `select verdict.*
   from ${verdictsInInterval(
     'no, from_index, until_index, compliance, artifact_ids[1] as artifact_id',
     `order by from_index desc limit ${VERDICTS_MAX}`,
   )}
   order by verdict.from_index desc, verdict.no limit ${VERDICTS_PER_QUERY}`,
);

/** Verdicts on runs in the window, newest first. */
export async function listVerdicts(ctx: Ctx, span: SnapshotSpan, nos: readonly number[]): Promise<RunVerdicts[]> {
  return nos.length === 0 ? [] : await listVerdictsOf(ctx.db, { ...intervalOf(ctx, span), nos });
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
