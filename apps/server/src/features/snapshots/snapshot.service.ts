import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { notFound } from '../../platform/errors.ts';
import { type Applied, readApplied } from '../verdicts/applied.reads.ts';
import { judgeAndKeep, type KeptVerdict } from '../verdicts/judge-and-keep.ts';
import { keepDecisions } from '../verdicts/keep-decisions.ts';
import { arrayText } from './look.store.ts';
import { complianceOf, judgeBy, laterOf } from './look-again.ts';
import { readOrigins, toldOrigins } from './origin.reads.ts';
import { type CurrentRun, changesOf, type RunChanges } from './run-changes.ts';
import type { ReportContent, ReportedArtifact } from './run-content.ts';
import { withPast } from './run-past.ts';
import { environmentScaled, snapshotRecorded } from './snapshot.entries.ts';
import * as store from './snapshot.store.ts';
import { type Change, snapshotEntries, told, toTold } from './told-entries.ts';

export interface Recorded {
  readonly kind: 'created' | 'scaled' | 'unchanged';
  /** The latest snapshot. */
  readonly index: number;
  readonly started: number;
  readonly exited: number;
}

/** Records what an environment runs now. Reports about one environment are taken one after another. */
export function recordContent(
  ctx: Ctx,
  { id, name }: { id: string; name: string },
  content: ReportContent,
): Promise<Recorded> {
  return inTransaction(ctx, async (ctx) => {
    const standing = await lockStanding(ctx, id);
    if (!standing) throw notFound('Environment', name);
    if (standing.content_digest?.equals(content.digest)) return unchanged(standing);
    const runs = await store.listRuns(ctx.db, { org_id: ctx.org, environment_id: id });
    const changes = changesOf(runs, content);
    // The first report says what there was to begin with, be it nothing.
    if (standing.snapshot_count === 0 || changes.started.length + changes.exited.length > 0) {
      return recordChanges(ctx, standing, changes, content.digest);
    }
    if (changes.resized.length > 0) return recordScaling(ctx, standing, changes, content.digest);
    await store.keepDigest(ctx.db, ctx.org, id, content.digest);
    return unchanged(standing);
  });
}

/** Nobody else changes the environment until the transaction ends. Nothing when it is archived. */
async function lockStanding(ctx: Ctx, environmentId: string): Promise<store.Standing | undefined> {
  await lockSubject(ctx.db, ctx.org, 'environment', environmentId);
  return readStanding(ctx, environmentId);
}

async function readStanding(ctx: Ctx, environmentId: string): Promise<store.Standing | undefined> {
  const [standing] = await store.readStandings(ctx.db, { org_id: ctx.org, ids: [environmentId] });
  return standing;
}

/**
 * What judges the environment now. When the latest snapshot was judged by something else, one is made for that first, so
 * that each snapshot has one cause.
 */
async function applyPolicies(
  ctx: Ctx,
  standing: store.Standing,
): Promise<{ standing: store.Standing; applied: Applied }> {
  const applied = (await readApplied(ctx, [standing.id]))(standing.id);
  const isUpToDate = standing.snapshot_count === 0 || (applied.set?.id ?? null) === standing.policy_set_id;
  if (isUpToDate) return { standing, applied };
  await judgeBy(ctx, standing, applied);
  return { standing: (await readStanding(ctx, standing.id)) ?? standing, applied };
}

function unchanged(standing: store.Standing): Recorded {
  return { kind: 'unchanged', index: standing.snapshot_count, started: 0, exited: 0 };
}

async function recordChanges(
  ctx: Ctx,
  before: store.Standing,
  { started, exited, restated, resized }: RunChanges,
  contentDigest: Buffer,
): Promise<Recorded> {
  const { standing, applied } = await applyPolicies(ctx, before);
  const index = standing.snapshot_count + 1;
  const originsOf = await readOrigins(
    ctx.db,
    ctx.org,
    started.map((run) => run.fingerprint),
  );
  const origins = started.map((run) => toldOrigins(originsOf.get(run.fingerprint)));
  const begun = await withPast(
    ctx,
    standing.id,
    started.map(({ name, fingerprint }, i) => ({ name, fingerprint, origins: origins[i] ?? [] })),
  );
  const verdicts = await judgeAndKeep(
    ctx,
    started.map((run) => ({ environment: standing, applied, name: run.name, fingerprint: run.fingerprint })),
    originsOf,
  );
  if (applied.set && applied.set.id !== standing.policy_set_id) {
    await keepDecisions(ctx, { sets: [applied.set], states: [], decisions: [] });
  }
  const counts = await countsAfter(ctx, standing, applied, verdicts, exited);
  const changes: Change[] = [
    ...started.map((run, i) => ({ started: { ...toldRun(run), compliance: verdicts[i]?.compliance ?? 'unknown' } })),
    ...exited.map((run) => ({ exited: toldRun(run) })),
    ...resized.map(({ run, artifact }) => ({ resized: toldResize(run, artifact) })),
  ];
  const entries = snapshotEntries(ctx, standing, applied, { index, trigger: 'report', ...counts }, changes);
  await store.recordSnapshot(ctx.db, {
    ...toTold(ctx, snapshotRecorded, entries),
    environment_id: standing.id,
    index,
    created_at: laterOf(ctx.now(), standing.last_changed_at),
    artifact_count: standing.artifact_count + started.length - exited.length,
    ...counts,
    policy_set_id: applied.set?.id ?? null,
    event_total: standing.event_total + started.length + exited.length,
    run_count: standing.run_count + started.length,
    content_digest: contentDigest,
    started_no: started.map((_, i) => standing.run_count + 1 + i),
    started_fingerprint: started.map((run) => run.fingerprint),
    started_name: started.map((run) => run.name),
    started_lineage: begun.map((run) => run.lineage),
    // What is not identified is no deployment.
    started_deployments: begun.map((run, i) =>
      arrayText(started[i]?.fingerprint ? store.lastDeployments(run.deployments, index) : []),
    ),
    started_artifacts: origins.map((reports) => arrayText(reports.map((origin) => origin.id))),
    started_replaced: begun.map((run) => run.replacedNo),
    started_compliance: verdicts.map((verdict) => verdict.compliance),
    started_evidence: verdicts.map((verdict) => verdict.evidenceId),
    started_decisions: verdicts.map((verdict) => arrayText(verdict.decisionIds)),
    started_listing: verdicts.map((verdict) => verdict.listingId),
    started_count: started.map((run) => run.count),
    started_detail: started.map((run) => run.detail),
    exited_no: exited.map((run) => run.no),
    restated_no: restated.map(({ run }) => run.no),
    restated_count: restated.map(({ artifact }) => artifact.count),
    restated_detail: restated.map(({ artifact }) => artifact.detail),
  });
  return { kind: 'created', index, started: started.length, exited: exited.length };
}

async function countsAfter(
  ctx: Ctx,
  standing: store.Standing,
  applied: Applied,
  verdicts: readonly KeptVerdict[],
  exited: readonly CurrentRun[],
) {
  const at = { org_id: ctx.org, environment_id: standing.id };
  const nos = exited.map((run) => run.no);
  const [gone] = applied.set === null || nos.length === 0 ? [] : await store.countCompliance(ctx.db, { ...at, nos });
  const failing = verdicts.filter((verdict) => verdict.compliance === 'non-compliant').length;
  const non_compliant_count = standing.non_compliant_count + failing - (gone?.non_compliant ?? 0);
  const passing = applied.set === null ? 0 : verdicts.length - failing;
  return {
    compliant_count: standing.compliant_count + passing - (gone?.compliant ?? 0),
    non_compliant_count,
    compliance: complianceOf(applied, non_compliant_count),
  };
}

async function recordScaling(
  ctx: Ctx,
  standing: store.Standing,
  { resized }: RunChanges,
  contentDigest: Buffer,
): Promise<Recorded> {
  const changes = resized.map(({ run, artifact }) => toldResize(run, artifact));
  const index = standing.snapshot_count;
  await store.recordScaling(ctx.db, {
    ...told(ctx, environmentScaled, changes, (part) => ({ environment: standing.name, index, changes: [...part] })),
    environment_id: standing.id,
    index,
    content_digest: contentDigest,
    resized_no: resized.map(({ run }) => run.no),
    resized_count: resized.map(({ artifact }) => artifact.count),
    resized_detail: resized.map(({ artifact }) => artifact.detail),
  });
  return { kind: 'scaled', index, started: 0, exited: 0 };
}

function toldRun(run: CurrentRun | ReportedArtifact) {
  return { name: run.name, fingerprint: run.fingerprint, instances: run.count };
}

function toldResize(run: CurrentRun, artifact: ReportedArtifact) {
  return { name: run.name, fingerprint: run.fingerprint, was: run.count, now: artifact.count };
}
