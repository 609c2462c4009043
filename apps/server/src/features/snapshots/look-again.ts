import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import type { SnapshotTrigger } from '../../platform/db/tables.ts';
import { attribution } from '../../platform/journal/journal.ts';
import { type Applied, readApplied } from '../verdicts/applied.reads.ts';
import type { Decision, KnownEvidence } from '../verdicts/judge.ts';
import { JUDGED_AT_ONCE, type KeptVerdict, toKept } from '../verdicts/judge-and-keep.ts';
import { judgeRuns, type Verdict } from '../verdicts/judge-runs.ts';
import { keepDecisions } from '../verdicts/keep-decisions.ts';
import { type LookToRecord, listStatuses, lockEnvironments, recordLooks, type VerdictToRecord } from './look.store.ts';
import { type Origin, readOrigins, toldOrigins } from './origin.reads.ts';
import { retraced } from './retraced.ts';
import { type Past, withPast } from './run-past.ts';
import { snapshotRecorded } from './snapshot.entries.ts';
import { type KnownRun, listKnownRuns, listRunsOfArtifacts, readStandings, type Standing } from './snapshot.store.ts';
import { snapshotEntries } from './told-entries.ts';

export type LookCause = Exclude<SnapshotTrigger, 'report'>;

/** What to look at in an environment, and why. */
export interface Look {
  readonly environmentId: string;
  readonly causes: readonly LookCause[];
  /** Everything that runs unless given. */
  readonly fingerprints?: readonly string[];
}

/** Looks at one environment as part of the change that asks for it; gives the snapshot that was made, if any. */
export async function lookAgainNow(
  ctx: Ctx,
  environmentId: string,
  cause: LookCause,
  fingerprints?: readonly string[],
): Promise<number | undefined> {
  const made = await lookAgain(ctx, [{ environmentId, causes: [cause], ...(fingerprints && { fingerprints }) }]);
  return made.get(environmentId);
}

/** Judges all that runs in an environment by what the caller has read, and goes on with. */
export async function judgeBy(ctx: Ctx, standing: Standing, applied: Applied): Promise<void> {
  const view = toView(standing, applied, { environmentId: standing.id, causes: ['policy'] });
  await recordDifferences(ctx, [view], await findDifferences(ctx, [view]));
}

/**
 * Looks again where what runs came from and what its policies say of it, and makes a snapshot of each environment in
 * which that has changed: reports of artifacts and evidence arrive after the start, policies and tags change. Gives the
 * indexes of the snapshots by environment.
 */
export function lookAgain(ctx: Ctx, looks: readonly Look[]): Promise<ReadonlyMap<string, number>> {
  return inTransaction(ctx, async (ctx) => {
    const ids = looks.map((look) => look.environmentId);
    await lockEnvironments(ctx.db, ctx.org, ids);
    const standings = await readStandings(ctx.db, { org_id: ctx.org, ids });
    // What never was reported has no snapshot that could be outdated.
    const reported = standings.filter((standing) => standing.snapshot_count > 0);
    if (reported.length === 0) return new Map();
    const appliedTo = await readApplied(ctx, ids);
    const lookAt = new Map(looks.map((look) => [look.environmentId, look]));
    const views = reported.map((standing) => toView(standing, appliedTo(standing.id), lookAt.get(standing.id)));
    return recordDifferences(ctx, views, await findDifferences(ctx, views));
  });
}

interface View {
  readonly standing: Standing;
  readonly applied: Applied;
  readonly causes: readonly LookCause[];
  /** Other policies than the latest snapshot was judged by: all that runs is judged anew. */
  readonly isRejudged: boolean;
  readonly fingerprints: readonly string[] | undefined;
}

function toView(standing: Standing, applied: Applied, look: Look | undefined): View {
  const isRejudged = (applied.set?.id ?? null) !== standing.policy_set_id;
  const fingerprints = isRejudged ? undefined : look?.fingerprints;
  return { standing, applied, causes: look?.causes ?? [], isRejudged, fingerprints };
}

interface Difference {
  readonly run: KnownRun;
  readonly verdict: KeptVerdict;
  readonly origins: readonly Origin[];
  readonly isTraced: boolean;
}

/** Part by part, and what is to be kept of a part is kept before the next is judged. */
async function findDifferences(ctx: Ctx, views: readonly View[]): Promise<Map<string, Difference[]>> {
  const viewOf = new Map(views.map((view) => [view.standing.id, view]));
  const runs = await readRuns(ctx, views);
  const found: Difference[] = [];
  for (let from = 0; from < runs.length; from += JUDGED_AT_ONCE) {
    found.push(...(await differencesIn(ctx, viewOf, runs.slice(from, from + JUDGED_AT_ONCE))));
  }
  return Map.groupBy(found, ({ run }) => run.environmentId);
}

async function differencesIn(
  ctx: Ctx,
  viewOf: ReadonlyMap<string, View>,
  runs: readonly KnownRun[],
): Promise<Difference[]> {
  const fingerprints = runs.map((run) => run.fingerprint);
  const originsOf = await readOrigins(ctx.db, ctx.org, fingerprints);
  const identified = runs.filter((run) => run.fingerprint !== '');
  const traced = new Set(await retraced(ctx, identified, originsOf));
  const toJudge = runs.flatMap((run) => {
    const view = viewOf.get(run.environmentId);
    return view ? [{ run, environment: view.standing, applied: view.applied, view }] : [];
  });
  const verdicts = await judgeRuns(
    ctx,
    toJudge.map(({ run, ...at }) => ({ ...at, name: run.name, fingerprint: run.fingerprint })),
    originsOf,
  );
  const judged = toJudge.flatMap((it, i) => (verdicts[i] ? [{ ...it, verdict: verdicts[i] }] : []));
  const isSame = await sameVerdict(ctx, judged);
  const differing = judged.filter(({ run, view, verdict }) => {
    return traced.has(run) || view.isRejudged || !isSame(run, verdict);
  });
  await keepDecisions(ctx, { sets: [], ...newIn(differing) });
  return differing.map(({ run, verdict }) => ({
    run,
    verdict: toKept(verdict),
    isTraced: traced.has(run),
    origins: toldOrigins(originsOf.get(run.fingerprint)),
  }));
}

async function readRuns(ctx: Ctx, views: readonly View[]): Promise<KnownRun[]> {
  const some = views.flatMap(({ standing, fingerprints }) =>
    [...new Set(fingerprints)].map((fingerprint) => ({ environmentId: standing.id, fingerprint })),
  );
  const runs = await listRunsOfArtifacts(ctx.db, ctx.org, some);
  for (const { standing, fingerprints } of views) {
    if (fingerprints) continue;
    runs.push(...(await listKnownRuns(ctx.db, { org_id: ctx.org, environment_id: standing.id })));
  }
  return runs;
}

/**
 * Says the same: it is as compliant as before, under each policy. That other evidence says so, or for other reasons, is
 * no other verdict.
 */
async function sameVerdict(
  ctx: Ctx,
  judged: readonly { run: KnownRun; verdict: Verdict }[],
): Promise<(run: KnownRun, verdict: Verdict) => boolean> {
  const isOther = (run: KnownRun, verdict: Verdict) => verdict.decisions.some(({ id }, i) => id !== run.decisionIds[i]);
  const others = judged.filter(({ run, verdict }) => isOther(run, verdict));
  const ids = [...new Set(others.flatMap(({ run }) => run.decisionIds))];
  const rows = ids.length === 0 ? [] : await listStatuses(ctx.db, { org_id: ctx.org, ids });
  const statusOf = new Map(rows.map((row) => [row.id, row.status]));
  return (run, verdict) =>
    run.compliance === verdict.compliance &&
    run.decisionIds.length === verdict.decisions.length &&
    verdict.decisions.every(({ id, status }, i) => {
      const before = run.decisionIds[i] ?? '';
      return id === before || statusOf.get(before) === status;
    });
}

async function recordDifferences(
  ctx: Ctx,
  views: readonly View[],
  found: ReadonlyMap<string, readonly Difference[]>,
): Promise<Map<string, number>> {
  const changed = views.filter(({ standing, isRejudged }) => isRejudged || found.has(standing.id));
  if (changed.length === 0) return new Map();
  const sets = changed.flatMap(({ applied, isRejudged }) => (isRejudged ? (applied.set ?? []) : []));
  await keepDecisions(ctx, { sets, states: [], decisions: [] });
  const looks: LookToRecord[] = [];
  for (const view of changed) {
    const differences = found.get(view.standing.id) ?? [];
    looks.push(toLook(ctx, view, differences, await readPast(ctx, view.standing, differences)));
  }
  const by = { ...attribution(ctx), entry_type: snapshotRecorded.type, entry_version: snapshotRecorded.version };
  await recordLooks(ctx.db, by, looks);
  return new Map(looks.map((look) => [look.environmentId, look.index]));
}

/** What the runs point to is kept already: of an environment with many policies most when one of them changes. */
function newIn(differing: readonly { run: KnownRun; verdict: Verdict }[]) {
  const states: KnownEvidence[] = [];
  const decisions: Decision[] = [];
  for (const { run, verdict } of differing) {
    const kept = new Set(run.decisionIds);
    if (verdict.evidence && verdict.evidence.id !== run.evidenceId) states.push(verdict.evidence);
    decisions.push(...verdict.decisions.filter(({ id }) => !kept.has(id)));
  }
  return { states, decisions };
}

async function readPast(
  ctx: Ctx,
  standing: Standing,
  differences: readonly Difference[],
): Promise<Map<Difference, Past>> {
  const traced = differences.filter(({ isTraced }) => isTraced);
  const past = await withPast(
    ctx,
    standing.id,
    traced.map(({ run, origins }) => ({ name: run.name, fingerprint: run.fingerprint, no: run.no, origins })),
  );
  return new Map(traced.flatMap((difference, i) => (past[i] ? [[difference, past[i]] as const] : [])));
}

function toLook(
  ctx: Ctx,
  { standing, applied, causes, isRejudged }: View,
  differences: readonly Difference[],
  past: ReadonlyMap<Difference, Past>,
): LookToRecord {
  const verdicts = differences.map((difference) => toVerdictRow(difference, past.get(difference)));
  const counts = countsAfter(standing, applied, differences);
  const snapshot = {
    environmentId: standing.id,
    index: standing.snapshot_count + 1,
    createdAt: laterOf(ctx.now(), standing.last_changed_at),
    trigger: triggerOf(causes, isRejudged, differences),
    ...counts,
  };
  const changes = differences.flatMap(({ run, verdict, isTraced, origins }) => {
    const { name, fingerprint } = run;
    const artifact_ids = origins.map((origin) => origin.id);
    return [
      isTraced ? [{ traced: { name, fingerprint, artifact_ids } }] : [],
      run.compliance === verdict.compliance
        ? []
        : [{ judged: { name, fingerprint, was: run.compliance, now: verdict.compliance } }],
    ].flat();
  });
  return {
    ...snapshot,
    artifactCount: standing.artifact_count,
    eventTotal: standing.event_total + verdicts.filter(({ cause }) => cause !== 'restated').length,
    policySetId: applied.set?.id ?? null,
    verdicts,
    entries: snapshotEntries(ctx, standing, applied, snapshot, changes),
  };
}

function toVerdictRow({ run, verdict, isTraced, origins }: Difference, past: Past | undefined): VerdictToRecord {
  return {
    no: run.no,
    cause: isTraced ? 'provenance' : isTold(run, verdict) ? 'verdict' : 'restated',
    compliance: verdict.compliance,
    artifactIds: isTraced ? origins.map((origin) => origin.id) : run.artifactIds,
    // What ran under the same name goes on being what it replaced, until something of its lineage is found.
    replacedNo: past?.replacedNo ?? run.replacedNo,
    lineage: past?.lineage ?? null,
    evidenceId: verdict.evidenceId,
    decisionIds: verdict.decisionIds,
    listingId: verdict.listingId,
  };
}

/** Only that something became compliant, or ceased to be, is an event. */
function isTold(run: KnownRun, verdict: KeptVerdict): boolean {
  const now = counted(verdict);
  return now !== 'unknown' && now !== counted(run);
}

function counted({ compliance }: Pick<Verdict, 'compliance'>) {
  return compliance === 'waived' ? 'compliant' : compliance;
}

function countsAfter(standing: Standing, applied: Applied, differences: readonly Difference[]) {
  const change = (counts: 'compliant' | 'non-compliant') =>
    differences.reduce((sum, { run, verdict }) => {
      return sum + Number(counted(verdict) === counts) - Number(counted(run) === counts);
    }, 0);
  const nonCompliantCount = standing.non_compliant_count + change('non-compliant');
  return {
    compliantCount: standing.compliant_count + change('compliant'),
    nonCompliantCount,
    compliance: complianceOf(applied, nonCompliantCount),
  };
}

/** Without policies nothing is said; with policies and nothing that fails, be it that nothing runs, all is well. */
export function complianceOf(applied: Applied, nonCompliantCount: number): Standing['compliance'] {
  if (applied.set === null) return 'unknown';
  return nonCompliantCount > 0 ? 'non-compliant' : 'compliant';
}

function triggerOf(
  causes: readonly LookCause[],
  isRejudged: boolean,
  differences: readonly Difference[],
): SnapshotTrigger {
  if (isRejudged) return 'policy';
  if (differences.some(({ isTraced }) => isTraced)) return 'provenance';
  return causes.find((cause) => cause !== 'provenance' && cause !== 'policy') ?? 'evidence';
}

/** Clocks of several servers differ; snapshots follow each other in time as in number. */
export function laterOf(now: Date, last: Date | null): Date {
  return last && last > now ? last : now;
}
