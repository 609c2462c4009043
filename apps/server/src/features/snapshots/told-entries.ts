import type { z } from 'zod';
import type { Ctx } from '../../platform/ctx.ts';
import type { SnapshotTrigger } from '../../platform/db/tables.ts';
import { type EntryType, type Sealed, seal } from '../../platform/journal/entry.ts';
import { attribution } from '../../platform/journal/journal.ts';
import type { Applied } from '../verdicts/applied.reads.ts';
import { inParts } from './in-parts.ts';
import { snapshotRecorded } from './snapshot.entries.ts';
import type { Standing, Told } from './snapshot.store.ts';

type SealedEntry = Sealed & { readonly id: string };

/** The entries for a list of changes: one, or several when the list is long. */
function sealParts<Shape extends z.ZodType, Item>(
  ctx: Ctx,
  type: EntryType<Shape>,
  changes: readonly Item[],
  payloadOf: (part: readonly Item[]) => Omit<z.input<Shape>, 'part' | 'parts'>,
): SealedEntry[] {
  const parts = inParts(changes);
  return parts.map((part, i) => ({
    id: ctx.newId(),
    ...seal(type, { ...payloadOf(part), part: i + 1, parts: parts.length } as z.input<Shape>),
  }));
}

/** Parameters of a statement that appends such entries. */
export function told<Shape extends z.ZodType, Item>(
  ctx: Ctx,
  type: EntryType<Shape>,
  changes: readonly Item[],
  payloadOf: (part: readonly Item[]) => Omit<z.input<Shape>, 'part' | 'parts'>,
): Told & { org_id: string } {
  return toTold(ctx, type, sealParts(ctx, type, changes, payloadOf));
}

export function toTold(ctx: Ctx, type: EntryType, entries: readonly SealedEntry[]): Told & { org_id: string } {
  return {
    ...attribution(ctx),
    entry_type: type.type,
    entry_version: type.version,
    entry_ids: entries.map((entry) => entry.id),
    payloads: entries.map((entry) => entry.payload),
    nonces: entries.map((entry) => entry.nonce),
    digests: entries.map((entry) => entry.digest),
  };
}

type Payload<Entry> = Entry extends EntryType<infer Shape> ? z.input<Shape> : never;
type RecordedPayload = Payload<typeof snapshotRecorded>;

/** One thing that a snapshot changes, under the list of the entry that tells it. */
export type Change = {
  readonly [List in 'started' | 'exited' | 'resized' | 'traced' | 'judged']?: RecordedPayload[List][number];
};

export function snapshotEntries(
  ctx: Ctx,
  standing: Standing,
  applied: Applied,
  snapshot: { readonly index: number; readonly trigger: SnapshotTrigger; readonly compliance: Standing['compliance'] },
  changes: readonly Change[],
): SealedEntry[] {
  const policies = applied.policies.map(({ name, version }) => ({ name, version }));
  return sealParts(ctx, snapshotRecorded, changes, (part) => ({
    environment: standing.name,
    index: snapshot.index,
    trigger: snapshot.trigger,
    compliance: { was: standing.compliance, now: snapshot.compliance },
    policies,
    started: part.flatMap((change) => change.started ?? []),
    exited: part.flatMap((change) => change.exited ?? []),
    resized: part.flatMap((change) => change.resized ?? []),
    traced: part.flatMap((change) => change.traced ?? []),
    judged: part.flatMap((change) => change.judged ?? []),
  }));
}
