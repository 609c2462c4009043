import type { z } from 'zod';
import type { Ctx } from '../../../platform/ctx.ts';
import type { SnapshotTrigger } from '../../../platform/db/tables.ts';
import { type EntryType, type Sealed, seal } from '../../../platform/journal/entry.ts';
import { attribution } from '../../../platform/journal/journal.ts';
import type { EnvironmentState } from './current-runs.reads.ts';
import { inParts } from './in-parts.ts';
import { snapshotRecorded } from './snapshot.entries.ts';
import type { EntryParams } from './snapshot.store.ts';

export type SealedEntry = Sealed & { readonly id: string };

/** Seals the entries for a list of changes: one, or several when the list is long. */
export function sealParts<Shape extends z.ZodType, Item>(
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

/** Returns the parameters of a statement that appends such entries. */
export function entryParams(
  ctx: Ctx,
  environmentId: string,
  type: EntryType,
  entries: readonly SealedEntry[],
): EntryParams {
  return {
    ...attribution(ctx),
    environment_id: environmentId,
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

/** One change in a snapshot, under the name of its list in the entry. */
export type SnapshotChange = {
  readonly [List in 'started' | 'exited' | 'resized' | 'provenance_changed' | 'judged']?: RecordedPayload[List][number];
};

/** The changes of a snapshot, and the policies that judged it. */
export interface SnapshotNews {
  readonly environment: EnvironmentState;
  readonly index: number;
  readonly trigger: SnapshotTrigger;
  readonly compliance: EnvironmentState['compliance'];
  readonly policies: readonly { readonly name: string; readonly version: number }[];
  readonly changes: readonly SnapshotChange[];
}

/** What the entries bind of the rows of a snapshot, besides its changes. */
export type BoundRows = Pick<RecordedPayload, 'counts' | 'policy_set_id' | 'verdicts_sha256'>;

export function snapshotEntries(ctx: Ctx, news: SnapshotNews, bound: BoundRows): SealedEntry[] {
  const { environment, index, trigger, compliance, changes } = news;
  const policies = news.policies.map(({ name, version }) => ({ name, version }));
  return sealParts(ctx, snapshotRecorded, changes, (part) => ({
    environment: environment.name,
    index,
    trigger,
    compliance: { was: environment.compliance, now: compliance },
    policies,
    ...bound,
    started: part.flatMap((change) => change.started ?? []),
    exited: part.flatMap((change) => change.exited ?? []),
    resized: part.flatMap((change) => change.resized ?? []),
    provenance_changed: part.flatMap((change) => change.provenance_changed ?? []),
    judged: part.flatMap((change) => change.judged ?? []),
  }));
}
