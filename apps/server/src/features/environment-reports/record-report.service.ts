import type { Ctx } from '../../platform/ctx.ts';
import { arrayText } from '../../platform/db/array-text.ts';
import { notFound, unavailable } from '../../platform/errors.ts';
import { readProvenance, shownProvenance } from '../provenance/provenance.reads.ts';
import { type Applied, complianceOf, readApplied } from '../runtime-verdicts/applied.reads.ts';
import { type Ahead, judgeAhead } from '../runtime-verdicts/judge-ahead.service.ts';
import { judgeAndStore, type StoredVerdict } from '../runtime-verdicts/judge-and-store.service.ts';
import { reevaluate } from '../runtime-verdicts/reevaluation/reevaluate.service.ts';
import { storeDecisions } from '../runtime-verdicts/store-decisions.service.ts';
import {
  type CurrentRun,
  countCompliance,
  type EnvironmentState,
  listRuns,
  readStates,
} from '../snapshots/record/current-runs.reads.ts';
import { lastDeployments, withPast } from '../snapshots/record/lineage.reads.ts';
import {
  recordDigest,
  recordScaling,
  recordSnapshot,
  type SnapshotChange,
} from '../snapshots/record/snapshot.service.ts';
import { changesOf, type RunChanges } from './run-changes.ts';
import type { ReportContent, ReportedArtifact } from './run-content.ts';

export interface Recorded {
  readonly kind: 'created' | 'scaled' | 'unchanged';
  /** The latest snapshot. */
  readonly index: number;
  readonly started: number;
  readonly exited: number;
}

interface Environment {
  readonly id: string;
  readonly name: string;
}

/** Writes what a report has changed. */
type Write = (ctx: Ctx) => Promise<Recorded>;

/**
 * Records what an environment runs now. Reports about one environment are serialized. `alongside` runs in the same
 * transaction.
 */
export async function recordContent(
  ctx: Ctx,
  environment: Environment,
  content: ReportContent,
  alongside?: (ctx: Ctx) => Promise<void>,
): Promise<Recorded> {
  let recorded: Recorded | undefined;
  await judgeAhead<Write>(ctx, [environment.id], {
    judge: async (ctx) => [await judgeContent(ctx, environment, content)],
    async record(ctx, _, [judged]) {
      recorded = await judged?.work(ctx);
      await alongside?.(ctx);
    },
  });
  if (!recorded) throw new Error(`the report about environment ${environment.id} was not recorded`);
  return recorded;
}

/** Policies that change again while everything is judged by them. */
const POLICY_CHANGES_BORNE = 5;

async function judgeContent(
  ctx: Ctx,
  environment: Environment,
  content: ReportContent,
  policyChanges = 0,
): Promise<Ahead<Write>> {
  const { id, name } = environment;
  const state = await readState(ctx, environment);
  const ahead = (work: Write) => ({ id, stamp: state.stamp, work });
  if (state.content_digest?.equals(content.digest)) return ahead(async () => unchanged(state));
  const runs = await listRuns(ctx.db, { org_id: ctx.org, environment_id: id });
  const changes = changesOf(runs, content);
  // The first report makes a snapshot even when nothing runs.
  if (state.snapshot_count === 0 || changes.started.length + changes.exited.length > 0) {
    const applied = (await readApplied(ctx, [id]))(id);
    if (isJudgedBy(state, applied)) return ahead(await judgeChanges(ctx, state, applied, changes, content.digest));
    // A snapshot is made for the change of policies first, so that each snapshot has one cause.
    if (policyChanges === POLICY_CHANGES_BORNE)
      throw unavailable(`The policies of environment '${name}' keep changing. Try again shortly`);
    await reevaluate(ctx, [{ environmentId: id, causes: ['policy'] }]);
    return judgeContent(ctx, environment, content, policyChanges + 1);
  }
  if (changes.resized.length > 0) return ahead((ctx) => scale(ctx, state, changes, content.digest));
  return ahead(async (ctx) => {
    await recordDigest(ctx, id, content.digest);
    return unchanged(state);
  });
}

async function readState(ctx: Ctx, { id, name }: Environment): Promise<EnvironmentState> {
  const [state] = await readStates(ctx.db, { org_id: ctx.org, ids: [id] });
  if (!state) throw notFound('Environment', name);
  return state;
}

function isJudgedBy(state: EnvironmentState, applied: Applied): boolean {
  return state.snapshot_count === 0 || (applied.set?.id ?? null) === state.policy_set_id;
}

function unchanged(state: EnvironmentState): Recorded {
  return { kind: 'unchanged', index: state.snapshot_count, started: 0, exited: 0 };
}

async function judgeChanges(
  ctx: Ctx,
  state: EnvironmentState,
  applied: Applied,
  { started, exited, restated, resized }: RunChanges,
  contentDigest: Buffer,
): Promise<Write> {
  const index = state.snapshot_count + 1;
  const provenanceOf = await readProvenance(
    ctx.db,
    ctx.org,
    started.map((run) => run.fingerprint),
  );
  const reports = started.map((run) => shownProvenance(provenanceOf.get(run.fingerprint)));
  const begun = await withPast(
    ctx,
    state.id,
    started.map(({ name, fingerprint }, i) => ({ name, fingerprint, reports: reports[i] ?? [] })),
  );
  const { verdicts, unstored } = await judgeAndStore(
    ctx,
    started.map((run) => ({ environment: state, applied, name: run.name, fingerprint: run.fingerprint })),
    provenanceOf,
  );
  const sets = applied.set && applied.set.id !== state.policy_set_id ? [applied.set] : [];
  const counts = await countsAfter(ctx, state, applied, verdicts, exited);
  const changes: SnapshotChange[] = [
    ...started.map((run, i) => ({ started: { ...runOf(run), compliance: verdicts[i]?.compliance ?? 'unknown' } })),
    ...exited.map((run) => ({ exited: runOf(run) })),
    ...resized.map(({ run, artifact }) => ({ resized: resizeOf(run, artifact) })),
  ];
  const { policies } = applied;
  const news = {
    environment: state,
    index,
    trigger: 'report',
    compliance: counts.compliance,
    policies,
    changes,
  } as const;
  const snapshot = {
    index,
    artifact_count: state.artifact_count + started.length - exited.length,
    ...counts,
    policy_set_id: applied.set?.id ?? null,
    event_total: state.event_total + started.length + exited.length,
    run_count: state.run_count + started.length,
    content_digest: contentDigest,
    started_no: started.map((_, i) => state.run_count + 1 + i),
    started_fingerprint: started.map((run) => run.fingerprint),
    started_name: started.map((run) => run.name),
    started_lineage: begun.map((run) => run.lineage),
    // An unidentified artifact is not a deployment.
    started_deployments: begun.map((run, i) =>
      arrayText(started[i]?.fingerprint ? lastDeployments(run.deployments, index) : []),
    ),
    started_artifacts: reports.map((reports) => arrayText(reports.map((report) => report.id))),
    started_replaced: begun.map((run) => run.replacedNo),
    started_compliance: verdicts.map((verdict) => verdict.compliance),
    started_evidence: verdicts.map((verdict) => verdict.evidenceId),
    started_decisions: verdicts.map((verdict) => arrayText(verdict.decisionIds)),
    started_waiver: verdicts.map((verdict) => verdict.waiverId),
    started_count: started.map((run) => run.count),
    started_detail: started.map((run) => run.detail),
    exited_no: exited.map((run) => run.no),
    restated_no: restated.map(({ run }) => run.no),
    restated_count: restated.map(({ artifact }) => artifact.count),
    restated_detail: restated.map(({ artifact }) => artifact.detail),
  };
  return async (ctx) => {
    await storeDecisions(ctx, { ...unstored, sets });
    await recordSnapshot(ctx, news, snapshot);
    return { kind: 'created', index, started: started.length, exited: exited.length };
  };
}

async function countsAfter(
  ctx: Ctx,
  state: EnvironmentState,
  applied: Applied,
  verdicts: readonly StoredVerdict[],
  exited: readonly CurrentRun[],
) {
  const at = { org_id: ctx.org, environment_id: state.id };
  const nos = exited.map((run) => run.no);
  const [gone] = applied.set === null || nos.length === 0 ? [] : await countCompliance(ctx.db, { ...at, nos });
  const failing = verdicts.filter((verdict) => verdict.compliance === 'non-compliant').length;
  const non_compliant_count = state.non_compliant_count + failing - (gone?.non_compliant ?? 0);
  const passing = applied.set === null ? 0 : verdicts.length - failing;
  return {
    compliant_count: state.compliant_count + passing - (gone?.compliant ?? 0),
    non_compliant_count,
    compliance: complianceOf(applied, non_compliant_count),
  };
}

async function scale(
  ctx: Ctx,
  state: EnvironmentState,
  { resized }: RunChanges,
  contentDigest: Buffer,
): Promise<Recorded> {
  const changes = resized.map(({ run, artifact }) => resizeOf(run, artifact));
  const index = state.snapshot_count;
  await recordScaling(ctx, state, changes, {
    index,
    content_digest: contentDigest,
    resized_no: resized.map(({ run }) => run.no),
    resized_count: resized.map(({ artifact }) => artifact.count),
    resized_detail: resized.map(({ artifact }) => artifact.detail),
  });
  return { kind: 'scaled', index, started: 0, exited: 0 };
}

function runOf(run: CurrentRun | ReportedArtifact) {
  return { name: run.name, fingerprint: run.fingerprint, instances: run.count };
}

function resizeOf(run: CurrentRun, artifact: ReportedArtifact) {
  return { name: run.name, fingerprint: run.fingerprint, was: run.count, now: artifact.count };
}
