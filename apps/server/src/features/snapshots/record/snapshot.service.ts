import type { Ctx } from '../../../platform/ctx.ts';
import { attribution } from '../../../platform/journal/journal.ts';
import type { EnvironmentState } from './current-runs.reads.ts';
import { insertReevaluated, type ReevaluatedSnapshot } from './reevaluated-snapshot.store.ts';
import { environmentScaled, snapshotRecorded } from './snapshot.entries.ts';
import * as store from './snapshot.store.ts';
import { entryParams, type SnapshotNews, sealParts, snapshotEntries } from './snapshot-journal.ts';

export type { ReevaluatedRun, ReevaluatedSnapshot } from './reevaluated-snapshot.store.ts';
export type { SnapshotChange, SnapshotNews } from './snapshot-journal.ts';

/** Stores a snapshot that a report makes, with its journal entries. The caller holds the environment locked. */
export async function recordSnapshot(
  ctx: Ctx,
  news: SnapshotNews,
  snapshot: Omit<store.ReportedSnapshot, 'created_at'>,
): Promise<void> {
  const params = entryParams(ctx, news.environment.id, snapshotRecorded, snapshotEntries(ctx, news));
  await store.insertSnapshot(ctx.db, { ...params, ...snapshot, created_at: createdAt(params, news) });
}

/** Stores the snapshots that a re-evaluation makes, with their journal entries. */
export async function recordReevaluated(
  ctx: Ctx,
  made: readonly { readonly news: SnapshotNews; readonly snapshot: Omit<ReevaluatedSnapshot, 'createdAt'> }[],
): Promise<void> {
  const by = { ...attribution(ctx), entry_type: snapshotRecorded.type, entry_version: snapshotRecorded.version };
  const rows = made.map(({ news, snapshot }) => {
    return { ...snapshot, createdAt: createdAt(by, news), entries: snapshotEntries(ctx, news) };
  });
  await insertReevaluated(ctx.db, by, rows);
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
