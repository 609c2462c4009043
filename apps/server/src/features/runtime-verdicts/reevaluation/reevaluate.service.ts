import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import type { SnapshotTrigger } from '../../../platform/db/tables.ts';
import { type ArtifactReport, readProvenance, shownProvenance } from '../../provenance/provenance.reads.ts';
import {
  type EnvironmentState,
  type KnownRun,
  listKnownRuns,
  listRunsOfArtifacts,
  readStates,
} from '../../snapshots/record/current-runs.reads.ts';
import { type Past, withPast } from '../../snapshots/record/lineage.reads.ts';
import {
  laterOf,
  type ReevaluatedRun,
  type ReevaluatedSnapshot,
  recordReevaluated,
  type SnapshotChange,
  type SnapshotNews,
} from '../../snapshots/record/snapshot.service.ts';
import { type Applied, readApplied } from '../applied.reads.ts';
import type { Decision, KnownEvidence } from '../judge.service.ts';
import { JUDGE_BATCH_SIZE, type StoredVerdict, toStoredVerdict } from '../judge-and-store.service.ts';
import { judgeRuns, type RunVerdict } from '../judge-runs.service.ts';
import { storeDecisions } from '../store-decisions.service.ts';
import { withChangedProvenance } from './changed-provenance.ts';
import { listStatuses, lockEnvironments } from './reevaluate.store.ts';

export type ReevaluationCause = Exclude<SnapshotTrigger, 'report'>;

/** What to re-evaluate in an environment, and why. */
export interface Reevaluation {
  readonly environmentId: string;
  readonly causes: readonly ReevaluationCause[];
  /** All artifacts that run there, unless given. */
  readonly fingerprints?: readonly string[];
}

/**
 * Re-evaluates one environment as part of the change that causes it. Returns the index of the snapshot that was made,
 * if any.
 */
export async function reevaluateNow(
  ctx: Ctx,
  environmentId: string,
  cause: ReevaluationCause,
  fingerprints?: readonly string[],
): Promise<number | undefined> {
  const made = await reevaluate(ctx, [{ environmentId, causes: [cause], ...(fingerprints && { fingerprints }) }]);
  return made.get(environmentId);
}

/**
 * Judges everything that runs in an environment by the state and policies that the caller has read and goes on to use.
 */
export async function judgeBy(ctx: Ctx, state: EnvironmentState, applied: Applied): Promise<void> {
  const view = toView(state, applied, { environmentId: state.id, causes: ['policy'] });
  await recordDifferences(ctx, [view], await findDifferences(ctx, [view]));
}

/**
 * Reads the provenance of what runs and judges it again, and makes a snapshot of each environment in which either has
 * changed: reports of artifacts and evidence arrive after the start, policies and tags change. Returns the indexes of
 * the snapshots by environment.
 */
export function reevaluate(ctx: Ctx, wanted: readonly Reevaluation[]): Promise<ReadonlyMap<string, number>> {
  return inTransaction(ctx, async (ctx) => {
    const ids = wanted.map(({ environmentId }) => environmentId);
    await lockEnvironments(ctx.db, ctx.org, ids);
    const states = await readStates(ctx.db, { org_id: ctx.org, ids });
    // An environment that never reported has no snapshot that could be outdated.
    const reported = states.filter((state) => state.snapshot_count > 0);
    if (reported.length === 0) return new Map();
    const appliedTo = await readApplied(ctx, ids);
    const wantedOf = new Map(wanted.map((one) => [one.environmentId, one]));
    const views = reported.map((state) => toView(state, appliedTo(state.id), wantedOf.get(state.id)));
    return recordDifferences(ctx, views, await findDifferences(ctx, views));
  });
}

interface View {
  readonly state: EnvironmentState;
  readonly applied: Applied;
  readonly causes: readonly ReevaluationCause[];
  /** The policies differ from those of the latest snapshot: everything that runs is judged again. */
  readonly isRejudged: boolean;
  readonly fingerprints: readonly string[] | undefined;
}

function toView(state: EnvironmentState, applied: Applied, wanted: Reevaluation | undefined): View {
  const isRejudged = (applied.set?.id ?? null) !== state.policy_set_id;
  const fingerprints = isRejudged ? undefined : wanted?.fingerprints;
  return { state, applied, causes: wanted?.causes ?? [], isRejudged, fingerprints };
}

interface Difference {
  readonly run: KnownRun;
  readonly verdict: StoredVerdict;
  readonly reports: readonly ArtifactReport[];
  readonly hasNewProvenance: boolean;
}

/** Works in batches, and stores the decisions of each before the next is judged. */
async function findDifferences(ctx: Ctx, views: readonly View[]): Promise<Map<string, Difference[]>> {
  const viewOf = new Map(views.map((view) => [view.state.id, view]));
  const runs = await readRuns(ctx, views);
  const found: Difference[] = [];
  for (let from = 0; from < runs.length; from += JUDGE_BATCH_SIZE) {
    found.push(...(await differencesIn(ctx, viewOf, runs.slice(from, from + JUDGE_BATCH_SIZE))));
  }
  return Map.groupBy(found, ({ run }) => run.environmentId);
}

async function differencesIn(
  ctx: Ctx,
  viewOf: ReadonlyMap<string, View>,
  runs: readonly KnownRun[],
): Promise<Difference[]> {
  const fingerprints = runs.map((run) => run.fingerprint);
  const provenanceOf = await readProvenance(ctx.db, ctx.org, fingerprints);
  const identified = runs.filter((run) => run.fingerprint !== '');
  const withNewProvenance = new Set(await withChangedProvenance(ctx, identified, provenanceOf));
  const toJudge = runs.flatMap((run) => {
    const view = viewOf.get(run.environmentId);
    return view ? [{ run, environment: view.state, applied: view.applied, view }] : [];
  });
  const verdicts = await judgeRuns(
    ctx,
    toJudge.map(({ run, ...at }) => ({ ...at, name: run.name, fingerprint: run.fingerprint })),
    provenanceOf,
  );
  const judged = toJudge.flatMap((it, i) => (verdicts[i] ? [{ ...it, verdict: verdicts[i] }] : []));
  const isSame = await sameVerdict(ctx, judged);
  const differing = judged.filter(({ run, view, verdict }) => {
    return withNewProvenance.has(run) || view.isRejudged || !isSame(run, verdict);
  });
  await storeDecisions(ctx, { sets: [], ...newIn(differing) });
  return differing.map(({ run, verdict }) => ({
    run,
    verdict: toStoredVerdict(verdict),
    hasNewProvenance: withNewProvenance.has(run),
    reports: shownProvenance(provenanceOf.get(run.fingerprint)),
  }));
}

async function readRuns(ctx: Ctx, views: readonly View[]): Promise<KnownRun[]> {
  const some = views.flatMap(({ state, fingerprints }) =>
    [...new Set(fingerprints)].map((fingerprint) => ({ environmentId: state.id, fingerprint })),
  );
  const runs = await listRunsOfArtifacts(ctx.db, ctx.org, some);
  for (const { state, fingerprints } of views) {
    if (fingerprints) continue;
    runs.push(...(await listKnownRuns(ctx.db, { org_id: ctx.org, environment_id: state.id })));
  }
  return runs;
}

/**
 * Returns whether a verdict is as compliant as before, under each policy. Other evidence or other reasons with the same
 * result make no new verdict.
 */
async function sameVerdict(
  ctx: Ctx,
  judged: readonly { run: KnownRun; verdict: RunVerdict }[],
): Promise<(run: KnownRun, verdict: RunVerdict) => boolean> {
  const isOther = (run: KnownRun, verdict: RunVerdict) =>
    verdict.decisions.some(({ id }, i) => id !== run.decisionIds[i]);
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
  const changed = views.filter(({ state, isRejudged }) => isRejudged || found.has(state.id));
  if (changed.length === 0) return new Map();
  const sets = changed.flatMap(({ applied, isRejudged }) => (isRejudged ? (applied.set ?? []) : []));
  await storeDecisions(ctx, { sets, states: [], decisions: [] });
  const made: MadeSnapshot[] = [];
  for (const view of changed) {
    const differences = found.get(view.state.id) ?? [];
    made.push(toSnapshot(ctx, view, differences, await readPast(ctx, view.state, differences)));
  }
  await recordReevaluated(ctx, made);
  return new Map(made.map(({ snapshot }) => [snapshot.environmentId, snapshot.index]));
}

/** Leaves out what the runs refer to already: most decisions, when one of many policies changes. */
function newIn(differing: readonly { run: KnownRun; verdict: RunVerdict }[]) {
  const states: KnownEvidence[] = [];
  const decisions: Decision[] = [];
  for (const { run, verdict } of differing) {
    const known = new Set(run.decisionIds);
    if (verdict.evidence && verdict.evidence.id !== run.evidenceId) states.push(verdict.evidence);
    decisions.push(...verdict.decisions.filter(({ id }) => !known.has(id)));
  }
  return { states, decisions };
}

async function readPast(
  ctx: Ctx,
  state: EnvironmentState,
  differences: readonly Difference[],
): Promise<Map<Difference, Past>> {
  const withNewProvenance = differences.filter(({ hasNewProvenance }) => hasNewProvenance);
  const past = await withPast(
    ctx,
    state.id,
    withNewProvenance.map(({ run, reports }) => ({
      name: run.name,
      fingerprint: run.fingerprint,
      no: run.no,
      reports,
    })),
  );
  return new Map(withNewProvenance.flatMap((difference, i) => (past[i] ? [[difference, past[i]] as const] : [])));
}

interface MadeSnapshot {
  readonly news: SnapshotNews;
  readonly snapshot: ReevaluatedSnapshot;
}

function toSnapshot(
  ctx: Ctx,
  { state, applied, causes, isRejudged }: View,
  differences: readonly Difference[],
  past: ReadonlyMap<Difference, Past>,
): MadeSnapshot {
  const runs = differences.map((difference) => toReevaluatedRun(difference, past.get(difference)));
  const counts = countsAfter(state, applied, differences);
  const index = state.snapshot_count + 1;
  const trigger = triggerOf(causes, isRejudged, differences);
  const changes = differences.flatMap(({ run, verdict, hasNewProvenance, reports }): SnapshotChange[] => {
    const { name, fingerprint } = run;
    const artifact_ids = reports.map((report) => report.id);
    return [
      hasNewProvenance ? [{ provenance_changed: { name, fingerprint, artifact_ids } }] : [],
      run.compliance === verdict.compliance
        ? []
        : [{ judged: { name, fingerprint, was: run.compliance, now: verdict.compliance } }],
    ].flat();
  });
  return {
    news: {
      environment: state,
      index,
      trigger,
      compliance: counts.compliance,
      policies: applied.policies,
      changes,
    },
    snapshot: {
      environmentId: state.id,
      index,
      createdAt: laterOf(ctx.now(), state.last_changed_at),
      trigger,
      ...counts,
      artifactCount: state.artifact_count,
      eventTotal: state.event_total + runs.filter(({ cause }) => cause !== 'restated').length,
      policySetId: applied.set?.id ?? null,
      runs,
    },
  };
}

function toReevaluatedRun(
  { run, verdict, hasNewProvenance, reports }: Difference,
  past: Past | undefined,
): ReevaluatedRun {
  return {
    no: run.no,
    cause: hasNewProvenance ? 'provenance' : isEvent(run, verdict) ? 'verdict' : 'restated',
    compliance: verdict.compliance,
    artifactIds: hasNewProvenance ? reports.map((report) => report.id) : run.artifactIds,
    // The run under the same name remains the replaced one until one of the same lineage is found.
    replacedNo: past?.replacedNo ?? run.replacedNo,
    lineage: past?.lineage ?? null,
    evidenceId: verdict.evidenceId,
    decisionIds: verdict.decisionIds,
    waiverId: verdict.waiverId,
  };
}

/** Only a change to or from compliant is an event. */
function isEvent(run: KnownRun, verdict: StoredVerdict): boolean {
  const now = counted(verdict);
  return now !== 'unknown' && now !== counted(run);
}

function counted({ compliance }: Pick<RunVerdict, 'compliance'>) {
  return compliance === 'waived' ? 'compliant' : compliance;
}

function countsAfter(state: EnvironmentState, applied: Applied, differences: readonly Difference[]) {
  const change = (counts: 'compliant' | 'non-compliant') =>
    differences.reduce((sum, { run, verdict }) => {
      return sum + Number(counted(verdict) === counts) - Number(counted(run) === counts);
    }, 0);
  const nonCompliantCount = state.non_compliant_count + change('non-compliant');
  return {
    compliantCount: state.compliant_count + change('compliant'),
    nonCompliantCount,
    compliance: complianceOf(applied, nonCompliantCount),
  };
}

/**
 * Without policies compliance is unknown; with policies it is compliant unless something fails, even if nothing runs.
 */
export function complianceOf(applied: Applied, nonCompliantCount: number): EnvironmentState['compliance'] {
  if (applied.set === null) return 'unknown';
  return nonCompliantCount > 0 ? 'non-compliant' : 'compliant';
}

function triggerOf(
  causes: readonly ReevaluationCause[],
  isRejudged: boolean,
  differences: readonly Difference[],
): SnapshotTrigger {
  if (isRejudged) return 'policy';
  if (differences.some(({ hasNewProvenance }) => hasNewProvenance)) return 'provenance';
  return causes.find((cause) => cause !== 'provenance' && cause !== 'policy') ?? 'evidence';
}
