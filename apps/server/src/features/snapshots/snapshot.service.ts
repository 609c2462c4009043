import type { z } from 'zod';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { lockSubject } from '../../platform/db/subject-lock.ts';
import { notFound } from '../../platform/errors.ts';
import type { EntryType } from '../../platform/journal/entry.ts';
import { readOrigins } from './origin.reads.ts';
import { retraced, type Traced } from './retraced.ts';
import { type CurrentRun, changesOf, type RunChanges } from './run-changes.ts';
import type { ReportContent, ReportedArtifact } from './run-content.ts';
import { withPast } from './run-past.ts';
import { environmentScaled, snapshotRecorded } from './snapshot.entries.ts';
import * as store from './snapshot.store.ts';
import { told } from './told-entries.ts';

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

/**
 * Looks again where what runs came from, and makes a snapshot when that has changed: a report of an artifact may arrive
 * after the artifact was started.
 */
export function recheckOrigins(ctx: Ctx, environmentId: string): Promise<Recorded> {
  return inTransaction(ctx, async (ctx) => {
    const standing = await lockStanding(ctx, environmentId);
    if (!standing) return { kind: 'unchanged', index: 0, started: 0, exited: 0 };
    const runs = await store.listTracedRuns(ctx.db, { org_id: ctx.org, environment_id: environmentId });
    const traced = await retraced(ctx, runs);
    if (traced.length === 0) return unchanged(standing);
    return recordTraces(ctx, standing, traced);
  });
}

/** Nobody else changes the environment until the transaction ends. Nothing when it is archived. */
async function lockStanding(ctx: Ctx, environmentId: string): Promise<store.Standing | undefined> {
  await lockSubject(ctx.db, ctx.org, 'environment', environmentId);
  const [standing] = await store.readStanding(ctx.db, { org_id: ctx.org, environment_id: environmentId });
  return standing?.archived_at ? undefined : standing;
}

function unchanged(standing: store.Standing): Recorded {
  return { kind: 'unchanged', index: standing.snapshot_count, started: 0, exited: 0 };
}

async function recordChanges(
  ctx: Ctx,
  standing: store.Standing,
  { started, exited, restated, resized }: RunChanges,
  contentDigest: Buffer,
): Promise<Recorded> {
  const index = standing.snapshot_count + 1;
  const originsOf = await readOrigins(
    ctx.db,
    ctx.org,
    started.map((run) => run.fingerprint),
  );
  const origins = started.map((run) => originsOf.get(run.fingerprint) ?? []);
  const begun = await withPast(
    ctx,
    standing.id,
    started.map(({ name, fingerprint }, i) => ({ name, fingerprint, origins: origins[i] ?? [] })),
  );
  const difference: Change[] = [
    ...started.map((run) => ({ started: toldRun(run) })),
    ...exited.map((run) => ({ exited: toldRun(run) })),
    ...resized.map(({ run, artifact }) => ({ resized: toldResize(run, artifact) })),
  ];
  await store.recordSnapshot(ctx.db, {
    ...snapshotAfter(ctx, standing, 'report', difference),
    artifact_count: standing.artifact_count + started.length - exited.length,
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
    started_count: started.map((run) => run.count),
    started_detail: started.map((run) => run.detail),
    exited_no: exited.map((run) => run.no),
    restated_no: restated.map(({ run }) => run.no),
    restated_count: restated.map(({ artifact }) => artifact.count),
    restated_detail: restated.map(({ artifact }) => artifact.detail),
  });
  return { kind: 'created', index, started: started.length, exited: exited.length };
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

async function recordTraces(ctx: Ctx, standing: store.Standing, traced: readonly Traced[]): Promise<Recorded> {
  const index = standing.snapshot_count + 1;
  const changes = traced.map(({ run, origins }) => ({
    traced: { name: run.name, fingerprint: run.fingerprint, artifact_ids: origins.map((origin) => origin.id) },
  }));
  const past = await withPast(
    ctx,
    standing.id,
    traced.map(({ run, origins }) => ({ name: run.name, fingerprint: run.fingerprint, no: run.no, origins })),
  );
  await store.retraceRuns(ctx.db, {
    org_id: ctx.org,
    environment_id: standing.id,
    index,
    nos: traced.map(({ run }) => run.no),
    lineages: past.map((run) => run.lineage),
    artifacts: traced.map(({ origins }) => arrayText(origins.map((origin) => origin.id))),
    // What ran under the same name goes on being what it replaced, until something of its lineage is found.
    replaced: past.map((run, i) => run.replacedNo ?? traced[i]?.run.replacedNo ?? null),
  });
  await store.recordSnapshot(ctx.db, {
    ...snapshotAfter(ctx, standing, 'provenance', changes),
    artifact_count: standing.artifact_count,
    event_total: standing.event_total + traced.length,
    run_count: standing.run_count,
    content_digest: null,
    ...NOTHING_MOVED,
  });
  return { kind: 'created', index, started: 0, exited: 0 };
}

const NOTHING_MOVED = {
  started_no: [],
  started_fingerprint: [],
  started_name: [],
  started_lineage: [],
  started_deployments: [],
  started_artifacts: [],
  started_replaced: [],
  started_count: [],
  started_detail: [],
  exited_no: [],
  restated_no: [],
  restated_count: [],
  restated_detail: [],
};

type Payload<Entry> = Entry extends EntryType<infer Shape> ? z.input<Shape> : never;
type RecordedPayload = Payload<typeof snapshotRecorded>;

/** One thing that a snapshot changes, under the list of the entry that tells it. */
type Change = {
  readonly [List in 'started' | 'exited' | 'resized' | 'traced']?: RecordedPayload[List][number];
};

/** What the rows of every new snapshot have in common, with the entries that tell of it. */
function snapshotAfter(
  ctx: Ctx,
  standing: store.Standing,
  trigger: RecordedPayload['trigger'],
  changes: readonly Change[],
) {
  const index = standing.snapshot_count + 1;
  return {
    ...told(ctx, snapshotRecorded, changes, (part) => ({
      environment: standing.name,
      index,
      trigger,
      started: part.flatMap((change) => change.started ?? []),
      exited: part.flatMap((change) => change.exited ?? []),
      resized: part.flatMap((change) => change.resized ?? []),
      traced: part.flatMap((change) => change.traced ?? []),
    })),
    environment_id: standing.id,
    index,
    trigger,
    created_at: laterOf(ctx.now(), standing.last_changed_at),
  };
}

function toldRun(run: CurrentRun | ReportedArtifact) {
  return { name: run.name, fingerprint: run.fingerprint, instances: run.count };
}

function toldResize(run: CurrentRun, artifact: ReportedArtifact) {
  return { name: run.name, fingerprint: run.fingerprint, was: run.count, now: artifact.count };
}

/** Clocks of several servers differ; snapshots follow each other in time as in number. */
function laterOf(now: Date, last: Date | null): Date {
  return last && last > now ? last : now;
}

/** An array as PostgreSQL writes it, of values that need no quotes. */
function arrayText(values: readonly (string | number)[]): string {
  return `{${values.join()}}`;
}
