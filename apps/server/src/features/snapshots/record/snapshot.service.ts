import type { Ctx } from '../../../platform/ctx.ts';
import { attribution } from '../../../platform/journal/journal.ts';
import type { EnvironmentState } from './current-runs.reads.ts';
import { insertReevaluated, type ReevaluatedSnapshot } from './reevaluated-snapshot.store.ts';
import { environmentScaled, snapshotRecorded } from './snapshot.entries.ts';
import * as store from './snapshot.store.ts';
import { type BoundRows, entryParams, type SnapshotNews, sealParts, snapshotEntries } from './snapshot-journal.ts';
import { verdictsDigest } from './verdicts-digest.reads.ts';

export type { ReevaluatedRun, ReevaluatedSnapshot } from './reevaluated-snapshot.store.ts';
export type { SnapshotChange, SnapshotNews } from './snapshot-journal.ts';

/** Stores a snapshot that a report makes, with its journal entries. The caller holds the environment locked. */
export async function recordSnapshot(
  ctx: Ctx,
  news: SnapshotNews,
  snapshot: Omit<store.ReportedSnapshot, 'created_at'>,
): Promise<void> {
  const entries = snapshotEntries(ctx, news, boundOfReported(snapshot));
  const params = entryParams(ctx, news.environment.id, snapshotRecorded, entries);
  await store.insertSnapshot(ctx.db, { ...params, ...snapshot, created_at: createdAt(params, news) });
}

/** Stores the snapshots that a re-evaluation makes, with their journal entries. */
export async function recordReevaluated(
  ctx: Ctx,
  made: readonly { readonly news: SnapshotNews; readonly snapshot: Omit<ReevaluatedSnapshot, 'createdAt'> }[],
): Promise<void> {
  const by = { ...attribution(ctx), entry_type: snapshotRecorded.type, entry_version: snapshotRecorded.version };
  const rows = made.map(({ news, snapshot }) => {
    const entries = snapshotEntries(ctx, news, boundOfReevaluated(snapshot));
    return { ...snapshot, createdAt: createdAt(by, news), entries };
  });
  await insertReevaluated(ctx.db, by, rows);
}

function boundOfReported(snapshot: Omit<store.ReportedSnapshot, 'created_at'>): BoundRows {
  const verdicts = snapshot.started_no.map((no, i) => ({
    no,
    cause: 'started',
    compliance: snapshot.started_compliance[i] ?? '',
    artifact_ids: listIn(snapshot.started_artifacts[i]),
    replaced_no: snapshot.started_replaced[i] ?? null,
    evidence_id: snapshot.started_evidence[i] ?? null,
    decision_ids: listIn(snapshot.started_decisions[i]),
    waiver_id: snapshot.started_waiver[i] ?? null,
  }));
  return {
    counts: {
      artifacts: snapshot.artifact_count,
      compliant: snapshot.compliant_count,
      non_compliant: snapshot.non_compliant_count,
      events: snapshot.event_total,
    },
    policy_set_id: snapshot.policy_set_id,
    verdicts_sha256: verdictsDigest(verdicts),
  };
}

function boundOfReevaluated(snapshot: Omit<ReevaluatedSnapshot, 'createdAt'>): BoundRows {
  const verdicts = snapshot.runs.map((run) => ({
    no: run.no,
    cause: run.cause,
    compliance: run.compliance,
    artifact_ids: run.artifactIds,
    replaced_no: run.replacedNo,
    evidence_id: run.evidenceId,
    decision_ids: run.decisionIds,
    waiver_id: run.waiverId,
  }));
  return {
    counts: {
      artifacts: snapshot.artifactCount,
      compliant: snapshot.compliantCount,
      non_compliant: snapshot.nonCompliantCount,
      events: snapshot.eventTotal,
    },
    policy_set_id: snapshot.policySetId,
    verdicts_sha256: verdictsDigest(verdicts),
  };
}

/** A list of ids, as `arrayText` writes it. */
function listIn(text = '{}'): string[] {
  const inside = text.slice(1, -1);
  return inside === '' ? [] : inside.split(',');
}

interface Resized {
  readonly name: string;
  readonly fingerprint: string;
  readonly was: number;
  readonly now: number;
}

/** Stores changed instance counts of the latest snapshot, with their journal entry. */
export async function recordScaling(
  ctx: Ctx,
  environment: EnvironmentState,
  changes: readonly Resized[],
  scaling: store.Scaling,
): Promise<void> {
  const { index } = scaling;
  const entries = sealParts(ctx, environmentScaled, changes, (part) => {
    return { environment: environment.name, index, changes: [...part] };
  });
  await store.updateInstances(ctx.db, { ...entryParams(ctx, environment.id, environmentScaled, entries), ...scaling });
}

export function recordDigest(ctx: Ctx, environmentId: string, digest: Buffer): Promise<void> {
  return store.updateDigest(ctx.db, ctx.org, environmentId, digest);
}

/**
 * The time of the journal entries. Never earlier than that: a processor finds the snapshot by it. Never before the
 * snapshot before, although the clocks of servers differ.
 */
function createdAt({ recorded_at }: { recorded_at: Date }, { environment }: SnapshotNews): Date {
  const last = environment.last_changed_at;
  return last && last > recorded_at ? last : recorded_at;
}
