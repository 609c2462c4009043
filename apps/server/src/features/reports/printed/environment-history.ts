import type { Ctx } from '../../../platform/ctx.ts';
import { invalidField } from '../../../platform/errors.ts';
import { findSinceIn } from '../../compliance/explain/history.reads.ts';
import { type EventProvenance, readEventProvenances } from '../../environment-history/events/event.reads.ts';
import { readEventReasons } from '../../environment-history/events/event-reason.reads.ts';
import { clipped, type Span } from '../../environment-history/timelines/spans.reads.ts';
import { readStalePeriods } from '../../environment-history/timelines/stale-periods.reads.ts';
import { readEnvironment } from '../../environments/environment.reads.ts';
import { readSnapshotTimes } from '../../snapshots/read/prior-run.reads.ts';
import { findRunInterval, listRunsAtFirst, type RunInterval } from '../../snapshots/read/run-intervals.reads.ts';
import { requirePhysical } from '../../snapshots/read/snapshot.reads.ts';
import * as reads from './period.reads.ts';
import type { Period } from './period.ts';

/** An environment with more changes is flapping, and its report would say nothing. */
const MAX_CHANGES = 20_000;
/** Runs that are read; fewer are shown. */
const MAX_RUNS = 5_000;
const MAX_WAIVERS = 500;
const BATCH_SIZE = 1_000;

/** A run with its verdicts in the period, in order. */
export interface ReportedRun extends reads.Run {
  readonly verdicts: readonly reads.ReportedVerdict[];
}

/** Everything in a report about a period, as it was recorded. */
export interface History {
  readonly environment: Awaited<ReturnType<typeof readEnvironment>>;
  readonly period: Period;
  /** When the current compliance began. */
  readonly since: Date | undefined;
  /** Absent when nothing was reported before the end of the period. */
  readonly interval: RunInterval | undefined;
  readonly changes: readonly reads.Change[];
  /** When the state at the beginning of the period began. */
  readonly firstSince: Date | undefined;
  /** Newest first. */
  readonly runs: readonly ReportedRun[];
  readonly runTotal: number;
  readonly stalePeriods: readonly Span[];
  readonly waivers: readonly reads.ReportedWaiver[];
  readonly hasMoreWaivers: boolean;
  readonly policies: readonly PolicyPeriod[];
  /** In milliseconds since 1970. */
  timeOf(index: number): number;
  provenanceOf(run: ReportedRun): EventProvenance | undefined;
  reasonOf(verdict: reads.ReportedVerdict): string;
}

/** A policy version, the snapshot in which it began to apply, and the one in which it no longer did. */
export interface PolicyPeriod {
  readonly name: string;
  readonly version: number;
  readonly from: number;
  readonly until: number | undefined;
  readonly saved: reads.PolicyVersion | undefined;
}

export async function readHistory(ctx: Ctx, name: string, period: Period): Promise<History> {
  const environment = await readEnvironment(ctx, name);
  await requirePhysical(ctx, environment, 'env_name');
  const interval = await findRunInterval(ctx.db, ctx.org, environment.id, period);
  const changes = interval ? await listChanges(ctx, interval) : [];
  const { runs, runTotal } = interval ? await listRuns(ctx, interval) : { runs: [], runTotal: 0 };
  const [first] = changes;
  const sinceIn = environment.snapshot_count > 0 ? await sinceOf(ctx, environment.id, environment) : undefined;
  const firstIn = first && (await sinceOf(ctx, environment.id, { ...first, snapshot_count: first.index }));
  const times = await readTimes(ctx, environment.id, [
    ...runs.flatMap((run) => [run, ...run.verdicts]).flatMap((it) => [it.from_index, it.until_index]),
    ...[sinceIn, firstIn],
  ]);
  for (const { index, created_at: at } of changes) times.set(index, at.getTime());
  const momentOf = (index: number | undefined) => {
    const at = index === undefined ? undefined : times.get(index);
    return at === undefined ? undefined : new Date(at);
  };
  const waivers = await reads.listWaiversIn(ctx, environment.id, period, MAX_WAIVERS + 1);
  const window = { from: period.from.getTime(), until: period.to.getTime() };
  const provenances = await readRunProvenance(ctx, runs);
  const stale = (await readStalePeriods(ctx, [environment.id], window)).get(environment.id);
  return {
    ...{ environment, period, interval, changes, runs, runTotal },
    since: momentOf(sinceIn),
    firstSince: momentOf(firstIn),
    stalePeriods: clipped(stale?.spans ?? [], window),
    waivers: waivers.slice(0, MAX_WAIVERS),
    hasMoreWaivers: waivers.length > MAX_WAIVERS,
    policies: await readPolicies(ctx, changes),
    timeOf: (index) => times.get(index) ?? window.from,
    provenanceOf: ({ verdicts }) => provenances.get(verdicts.at(-1)?.artifact_ids[0] ?? ''),
    reasonOf: await readEventReasons(
      ctx,
      runs.flatMap(({ verdicts }) => verdicts),
    ),
  };
}

async function listChanges(ctx: Ctx, interval: RunInterval): Promise<reads.Change[]> {
  const changes = await reads.listChanges(ctx.db, { ...interval, limit: MAX_CHANGES + 1 });
  if (changes.length <= MAX_CHANGES) return changes;
  throw invalidField('query.from', `must be later: the verdict changed more than ${MAX_CHANGES} times in the period`);
}

function sinceOf(ctx: Ctx, environmentId: string, at: { snapshot_count: number; compliance: string }): Promise<number> {
  return findSinceIn(ctx, environmentId, at.snapshot_count, at.compliance);
}

async function listRuns(ctx: Ctx, interval: RunInterval): Promise<{ runs: ReportedRun[]; runTotal: number }> {
  const started = await reads.listRunsStarted(ctx.db, { ...interval, limit: MAX_RUNS });
  const [count] = await reads.countRunsStarted(ctx.db, interval);
  const held = await listRunsAtFirst(ctx.db, interval);
  const nos = held.map(({ no }) => no).sort((a, b) => b - a);
  const earlier = await inParts(nos.slice(0, MAX_RUNS - started.length), (some) =>
    reads.listRunsNumbered(ctx.db, { ...interval, nos: some }),
  );
  const runs = [...started, ...earlier.toSorted((a, b) => b.from_index - a.from_index || b.no - a.no)];
  const verdicts = await inParts(
    runs.map(({ no }) => no),
    (some) => reads.listVerdicts(ctx.db, { ...interval, nos: some }),
  );
  const verdictsOf = Map.groupBy(verdicts, ({ no }) => no);
  return {
    runs: runs.map((run) => ({
      ...endedBy(run, interval),
      verdicts: (verdictsOf.get(run.no) ?? []).map((it) => endedBy(it, interval)),
    })),
    runTotal: held.length + (count?.total ?? 0),
  };
}

/** Treats what ended after the period as open. */
function endedBy<It extends { readonly until_index: number | null }>(it: It, { last }: RunInterval): It {
  return it.until_index !== null && it.until_index > last ? { ...it, until_index: null } : it;
}

async function readTimes(
  ctx: Ctx,
  environmentId: string,
  indexes: readonly (number | null | undefined)[],
): Promise<Map<number, number>> {
  const wanted = new Set(indexes.filter((index) => index !== null && index !== undefined));
  return new Map(
    await inParts([...wanted], async (some) => [...(await readSnapshotTimes(ctx, environmentId, some, false))]),
  );
}

async function readRunProvenance(ctx: Ctx, runs: readonly ReportedRun[]): Promise<Map<string, EventProvenance>> {
  const ids = runs.flatMap(({ verdicts }) => verdicts.at(-1)?.artifact_ids[0] ?? []);
  return new Map(await inParts([...new Set(ids)], async (some) => [...(await readEventProvenances(ctx, some))]));
}

/** In the order in which they began to apply. A policy that applied again later is listed again. */
async function readPolicies(ctx: Ctx, changes: readonly reads.Change[]): Promise<PolicyPeriod[]> {
  const ids = new Set(changes.flatMap(({ policy_set_id: id }) => id ?? []));
  const sets = await readSets(ctx, [...ids]);
  const policyIds = [...new Set([...sets.values()].flat().map(({ id }) => id))];
  const versions = new Map(
    (await inParts(policyIds, (some) => reads.listPolicyVersions(ctx, some))).map((row) => [keyOf(row), row]),
  );
  const applied: (PolicyPeriod & { until: number | undefined })[] = [];
  const judging = new Map<string, (typeof applied)[number]>();
  for (const { index, policy_set_id: id } of changes) {
    const set = sets.get(id ?? '') ?? [];
    const keys = new Set(set.map(({ id, version }) => keyOf({ policy_id: id, version })));
    for (const [key, policy] of judging) {
      if (keys.has(key)) continue;
      policy.until = index;
      judging.delete(key);
    }
    for (const { id, name, version } of set) {
      const key = keyOf({ policy_id: id, version });
      if (judging.has(key)) continue;
      const policy = { name, version, from: index, until: undefined, saved: versions.get(key) };
      applied.push(policy);
      judging.set(key, policy);
    }
  }
  return applied;
}

async function readSets(ctx: Ctx, ids: readonly string[]) {
  return new Map(await inParts(ids, async (some) => [...(await reads.readPolicySets(ctx, some))]));
}

function keyOf({ policy_id: id, version }: { policy_id: string; version: number }): string {
  return `${id} ${version}`;
}

async function inParts<Item, Row>(
  items: readonly Item[],
  read: (some: readonly Item[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < items.length; at += BATCH_SIZE) rows.push(...(await read(items.slice(at, at + BATCH_SIZE))));
  return rows;
}
