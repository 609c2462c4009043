import { parseSnappish } from '@waymark/snapshots';
import type { Ctx } from '../../../platform/ctx.ts';
import { invalidField } from '../../../platform/errors.ts';
import { storedRows } from '../../../platform/stored-json.ts';
import { findEnvironmentByName } from '../../environments/environment.reads.ts';
import { NO_DETAIL } from '../instance-detail.reads.ts';
import { readArtifactFacts } from './artifact-facts.reads.ts';
import { findSnapshot, type RunAt, readRunsAt, requirePhysical } from './snapshot.reads.ts';
import { readFlowNames } from './snapshot-context.reads.ts';
import { diffOf, type RunningArtifact, type SnapshotDiff } from './snapshot-diff.ts';

interface Compared {
  /** `prod#7` */
  readonly id: string;
  readonly environmentId: string;
  readonly runs: readonly RunAt[];
}

export async function compareSnapshots(
  ctx: Ctx,
  snappish1: string,
  snappish2: string,
): Promise<SnapshotDiff & { ids: readonly [string, string] }> {
  const [first, second] = await Promise.all([
    readCompared(ctx, 'query.snappish1', snappish1),
    readCompared(ctx, 'query.snappish2', snappish2),
  ]);
  const runningIn = await readRunning(ctx, [...first.runs, ...second.runs]);
  return { ...diffOf(runningIn(first), runningIn(second)), ids: [first.id, second.id] };
}

async function readCompared(ctx: Ctx, field: string, snappish: string): Promise<Compared> {
  const parsed = parseSnappish(snappish);
  if (!parsed.ok) throw invalidField(field, parsed.problem);
  const environment = await findEnvironmentByName(ctx, parsed.env);
  await requirePhysical(ctx, environment, field);
  const { index } = await findSnapshot(ctx, environment, parsed.expression);
  const runs = await readRunsAt(ctx, environment, index);
  return {
    id: `${environment.name}#${index}`,
    environmentId: environment.id,
    runs: runs.filter((run) => !run.hasExited),
  };
}

/** Adds the provenance of each run, from the newest report of its artifact. */
async function readRunning(ctx: Ctx, runs: readonly RunAt[]): Promise<(compared: Compared) => RunningArtifact[]> {
  const ids = runs.flatMap(({ artifactIds: [newest] }) => newest ?? []);
  const artifacts = await readArtifactFacts(ctx, ids);
  const flowNames = await readFlowNames(
    ctx,
    Array.from(artifacts.values(), ({ flowId }) => flowId),
  );
  const stored = storedRows(ctx.log, 'running_instances');
  const toRunning = (environmentId: string, { no, name, fingerprint, now, detail, artifactIds: [newest] }: RunAt) => {
    const artifact = newest === undefined ? undefined : artifacts.get(newest);
    const { timestamps, pods } = stored.read(`${environmentId}/${no}`, detail, NO_DETAIL);
    return {
      name,
      fingerprint,
      count: now,
      timestamps,
      pods: Object.keys(pods ?? {}),
      flow: (artifact && flowNames.get(artifact.flowId)) ?? '',
      commitUrl: artifact?.commitUrl ?? '',
    };
  };
  return ({ environmentId, runs }) => runs.map((run) => toRunning(environmentId, run));
}
