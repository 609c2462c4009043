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
import { judgeRuns, type Verdict } from '../judge-runs.service.ts';
import { storeDecisions } from '../store-decisions.service.ts';
import { withChangedProvenance } from './changed-provenance.ts';
import { listStatuses, lockEnvironments } from './reevaluate.store.ts';

export type ReevaluationCause = Exclude<SnapshotTrigger, 'report'>;

/** What to look at in an environment, and why. */
export interface Reevaluation {
  readonly environmentId: string;
  readonly causes: readonly ReevaluationCause[];
  /** Everything that runs unless given. */
  readonly fingerprints?: readonly string[];
}

/** Looks at one environment as part of the change that asks for it; gives the snapshot that was made, if any. */
export async function reevaluateNow(
  ctx: Ctx,
  environmentId: string,
  cause: ReevaluationCause,
  fingerprints?: readonly string[],
): Promise<number | undefined> {
  const made = await reevaluate(ctx, [{ environmentId, causes: [cause], ...(fingerprints && { fingerprints }) }]);
  return made.get(environmentId);
}

/** Judges all that runs in an environment by what the caller has read, and goes on with. */
export async function judgeBy(ctx: Ctx, state: EnvironmentState, applied: Applied): Promise<void> {
  const view = toView(state, applied, { environmentId: state.id, causes: ['policy'] });
  await recordDifferences(ctx, [view], await findDifferences(ctx, [view]));
}

/**
 * Looks again where what runs came from and what its policies say of it, and makes a snapshot of each environment in
 * which that has changed: reports of artifacts and evidence arrive after the start, policies and tags change. Gives the
 * indexes of the snapshots by environment.
 */
export function reevaluate(ctx: Ctx, wanted: readonly Reevaluation[]): Promise<ReadonlyMap<string, number>> {
  return inTransaction(ctx, async (ctx) => {
    const ids = wanted.map(({ environmentId }) => environmentId);
    await lockEnvironments(ctx.db, ctx.org, ids);
    const states = await readStates(ctx.db, { org_id: ctx.org, ids });
    // What never was reported has no snapshot that could be outdated.
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
  /** Other policies than the latest snapshot was judged by: all that runs is judged anew. */
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

/** Part by part, and what is to be kept of a part is kept before the next is judged. */
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

/** What the runs point to is kept already: of an environment with many policies most when one of them changes. */
function newIn(differing: readonly { run: KnownRun; verdict: Verdict }[]) {
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
      hasNewProvenance ? [{ traced: { name, fingerprint, artifact_ids } }] : [],
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
    // What ran under the same name goes on being what it replaced, until something of its lineage is found.
    replacedNo: past?.replacedNo ?? run.replacedNo,
    lineage: past?.lineage ?? null,
    evidenceId: verdict.evidenceId,
    decisionIds: verdict.decisionIds,
    waiverId: verdict.waiverId,
  };
}

/** Only that something became compliant, or ceased to be, is an event. */
function isEvent(run: KnownRun, verdict: StoredVerdict): boolean {
  const now = counted(verdict);
  return now !== 'unknown' && now !== counted(run);
}

function counted({ compliance }: Pick<Verdict, 'compliance'>) {
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

/** Without policies nothing is said; with policies and nothing that fails, be it that nothing runs, all is well. */
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
