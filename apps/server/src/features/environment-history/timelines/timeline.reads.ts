import type { Timeline, TimelineLane, TimelineRun } from '@waymark/contract';
import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { EnvironmentRow } from '../../environments/environment.reads.ts';
import { readSnapshotTimes } from '../../snapshots/read/prior-run.reads.ts';
import { requirePhysical } from '../../snapshots/read/snapshot.reads.ts';
import { readMarks } from './mark.reads.ts';
import {
  type LanePage,
  type LaneRun,
  type LanesRead,
  listVerdicts,
  type RunProvenance,
  type RunVerdicts,
  readLanes,
  readRunProvenances,
  type SnapshotSpan,
} from './run.reads.ts';
import { clipped, evenly, merged, overlaid, type Span } from './spans.reads.ts';
import { readStalePeriods, type StalePeriods } from './stale-periods.reads.ts';
import { countSnapshotsBefore, readStates, type State } from './state.reads.ts';

const SNAPSHOTS_SHOWN = 1_000;
const BUCKETS = 60;
const STATES_MAX = 2_000;

export async function readTimeline(
  ctx: Ctx,
  environment: EnvironmentRow,
  window: Span,
  page: LanePage,
): Promise<Timeline> {
  await requirePhysical(ctx, environment, 'env_name');
  const counts = await readCounts(ctx, environment.id, window);
  const held = { environmentId: environment.id, first: counts.inForce, last: counts.upTo };
  const [lanes, snapshots, states, stalePeriods, marks] = await Promise.all([
    readLanesWithRuns(ctx, held, window, page),
    listPicked(ctx, environment.id, evenly(counts.before + 1, counts.upTo, SNAPSHOTS_SHOWN)),
    readStates(ctx, [environment.id], inclusive(window), STATES_MAX),
    readStalePeriods(ctx, [environment.id], window),
    readMarks(ctx, environment.id, inclusive(window)),
  ]);
  const stale = stalePeriods.get(environment.id) ?? { spans: [], openSince: undefined };
  const known = states.get(environment.id) ?? { spans: [], isCut: false };
  const whole = overlaid<State>(clipped(known.spans, window), stale.spans, {
    ...{ state: 'unknown', except: 'non-compliant' },
  });
  return {
    environment: environment.name,
    from: window.from / 1000,
    to: window.until / 1000,
    page: page.page,
    per_page: page.perPage,
    total_lanes: lanes.total,
    lanes: lanes.lanes,
    truncated: lanes.isCut || known.isCut || whole.length > STATES_MAX,
    runs_from: lanes.knownFrom,
    snapshot_count: counts.upTo - counts.before,
    snapshots,
    density: counts.density,
    gaps: gapsOf(stale, window),
    marks,
    compliance: whole
      .slice(-STATES_MAX)
      .map(({ state, from, until }) => ({ from: from / 1000, until: until / 1000, compliance: state })),
  };
}

/** A snapshot made at the very end is in the window. */
function inclusive({ from, until }: Span): Span {
  return { from, until: until + 1 };
}

interface Counts {
  /** Snapshots made before the window, by its beginning, and by its end. */
  readonly before: number;
  readonly inForce: number;
  readonly upTo: number;
  readonly density: number[];
}

/** Snapshots are numbered without gaps, so the numbers at the ends of a time show how many were made in it. */
async function readCounts(ctx: Ctx, environmentId: string, window: Span): Promise<Counts> {
  const step = (window.until - window.from) / BUCKETS;
  const inner = Array.from({ length: BUCKETS - 1 }, (_, i) => Math.round(window.from + (i + 1) * step));
  const times = [window.from + 1, window.from, ...inner, window.until + 1];
  const counts = await countSnapshotsBefore(ctx, [environmentId], times);
  const [inForce = 0, ...bounds] = counts.get(environmentId) ?? [];
  const density = bounds.slice(1).map((count, i) => count - (bounds[i] ?? 0));
  return { before: bounds[0] ?? 0, inForce, upTo: bounds.at(-1) ?? 0, density };
}

async function listPicked(ctx: Ctx, environmentId: string, indexes: readonly number[]): Promise<Timeline['snapshots']> {
  const { rows } = await sql<{ index: number; created_at: Date; compliance: State }>`
    select made.index, made.created_at, made.compliance from unnest(${indexes}::integer[]) as wanted (index)
    cross join lateral (
      select index, created_at, compliance from snapshot
      where org_id = ${ctx.org} and environment_id = ${environmentId} and index = wanted.index limit 1
    ) as made
    order by made.index`.execute(ctx.db);
  return rows.map(({ index, created_at, compliance }) => ({ index, at: created_at.getTime() / 1000, compliance }));
}

function gapsOf({ spans, openSince }: StalePeriods, window: Span): Timeline['gaps'] {
  return clipped(spans, window).map(({ from, until }) => {
    const goesOn = openSince !== undefined && until === window.until && until > openSince;
    return { from: from / 1000, until: goesOn ? null : until / 1000 };
  });
}

async function readLanesWithRuns(
  ctx: Ctx,
  held: SnapshotSpan,
  window: Span,
  page: LanePage,
): Promise<{ total: number; lanes: TimelineLane[]; knownFrom: number | null; isCut: boolean }> {
  const found = await readLanes(ctx, held, page);
  const verdicts = Map.groupBy(
    await listVerdicts(
      ctx,
      held,
      found.runs.map(({ no }) => no),
    ),
    ({ no }) => no,
  );
  const { knownFrom } = found;
  const facts = await readRunFacts(ctx, held, found, verdicts);
  const isCut =
    knownFrom !== undefined || found.runs.some((run) => areVerdictsCut(run, verdicts.get(run.no) ?? [], held));
  return {
    total: found.total,
    lanes: lanesOf(found, (run) => toRun(run, verdicts.get(run.no) ?? [], facts, window)),
    knownFrom:
      knownFrom === undefined ? null : Math.min(facts.times.get(knownFrom) ?? window.until, window.until) / 1000,
    isCut,
  };
}

/** A run has a verdict from its start. */
function areVerdictsCut(run: LaneRun, verdicts: readonly RunVerdicts[], { first }: SnapshotSpan): boolean {
  const oldest = verdicts.at(-1);
  return !oldest || oldest.from_index > Math.max(run.from_index, first);
}

function lanesOf({ lanes, runs }: LanesRead, show: (run: LaneRun) => TimelineRun): TimelineLane[] {
  const byPlace = Map.groupBy(runs, ({ place }) => place);
  return lanes.map(({ place, name, flow_name }) => ({
    name,
    flow_name: flow_name ?? '',
    runs: (byPlace.get(place) ?? []).toSorted((a, b) => a.no - b.no).map(show),
  }));
}

interface RunFacts {
  readonly times: ReadonlyMap<number, number>;
  readonly provenances: ReadonlyMap<string, RunProvenance>;
}

async function readRunFacts(
  ctx: Ctx,
  { environmentId }: SnapshotSpan,
  { runs, knownFrom }: LanesRead,
  verdicts: ReadonlyMap<number, readonly RunVerdicts[]>,
): Promise<RunFacts> {
  const rows = [...verdicts.values()].flat();
  const ends = [...runs, ...rows].flatMap(({ from_index, until_index }) => [from_index, until_index ?? from_index]);
  const newest = [...verdicts.values()].flatMap(([latest]) => latest?.artifact_id ?? []);
  const [times, provenances] = await Promise.all([
    readSnapshotTimes(ctx, environmentId, knownFrom === undefined ? ends : [...ends, knownFrom], false),
    readRunProvenances(ctx, newest),
  ]);
  return { times, provenances };
}

function toRun(run: LaneRun, verdicts: readonly RunVerdicts[], facts: RunFacts, window: Span): TimelineRun {
  const timeOf = (index: number) => facts.times.get(index) ?? window.from;
  const provenance = facts.provenances.get(verdicts[0]?.artifact_id ?? '');
  const states = verdicts.toReversed().map(({ from_index, until_index, compliance }) => ({
    state: compliance,
    from: timeOf(from_index),
    until: until_index === null ? window.until : timeOf(until_index),
  }));
  return {
    fingerprint: run.fingerprint,
    name: run.name,
    flow_name: provenance?.flow_name ?? '',
    trail_name: provenance?.trail_name ?? '',
    git_commit: provenance?.commit_sha ?? '',
    instances: run.instances,
    from: timeOf(run.from_index) / 1000,
    until: run.until_index === null ? null : timeOf(run.until_index) / 1000,
    states: merged(clipped(states, window)).map(({ state, from, until }) => ({
      from: from / 1000,
      until: until / 1000,
      compliance: state,
    })),
  };
}
