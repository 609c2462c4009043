import { type Json, objectOf, textOf } from '../json.ts';
import type { JournalEntry } from '../ledger.ts';

/** A run after a snapshot, as the entries of the snapshots tell. */
export interface RunFacts {
  readonly name: string;
  readonly fingerprint: string;
  readonly compliance: string;
}

/** A snapshot as its entries tell; a long one has several. */
export interface SnapshotFacts {
  readonly index: number;
  readonly at: number;
  readonly by: string | null;
  readonly trigger: unknown;
  readonly compliance: unknown;
  readonly policies: readonly Json[];
  /** Runs that began, or whose verdict changed. */
  readonly changed: ReadonlyMap<string, RunFacts>;
  readonly exited: ReadonlySet<string>;
  /** What ran, by `runKey`. */
  readonly runs: ReadonlyMap<string, RunFacts>;
}

export function runKey({ fingerprint, name }: { readonly fingerprint: unknown; readonly name: unknown }): string {
  return JSON.stringify([fingerprint, name]);
}

const listIn = (payload: Json, member: string): Json[] => {
  const list = payload[member];
  return Array.isArray(list) ? list.map(objectOf) : [];
};

/**
 * Returns the snapshots from the first to the last. Undefined where an entry is missing or erased: nothing about the
 * following ones is known then.
 */
export function replaySnapshots(entries: readonly JournalEntry[]): Map<number, SnapshotFacts> {
  const snapshots = new Map<number, SnapshotFacts>();
  const runs = new Map<string, RunFacts>();
  const recorded = entries.filter(({ type }) => type === 'snapshot.recorded');
  let expected = 1;
  for (let at = 0; at < recorded.length; ) {
    const parts = partsFrom(recorded, at, expected);
    if (!parts) break;
    snapshots.set(expected, toSnapshot(parts, expected, runs));
    at += parts.length;
    expected += 1;
  }
  return snapshots;
}

type Part = JournalEntry & { readonly payload: Json };

function partsFrom(recorded: readonly JournalEntry[], at: number, index: number): readonly Part[] | undefined {
  const count = Number(recorded[at]?.payload?.['parts']);
  const parts = recorded
    .slice(at, at + count)
    .flatMap((entry) => (entry.payload ? [{ ...entry, payload: entry.payload }] : []));
  const isWhole =
    parts.length === count && parts.every(({ payload }, i) => payload['index'] === index && payload['part'] === i + 1);
  return isWhole && count > 0 ? parts : undefined;
}

function toSnapshot(parts: readonly Part[], index: number, runs: Map<string, RunFacts>): SnapshotFacts {
  const all = (member: string) => parts.flatMap(({ payload }) => listIn(payload, member));
  const exited = new Set(all('exited').map((run) => runKey({ name: run['name'], fingerprint: run['fingerprint'] })));
  for (const key of exited) runs.delete(key);
  const changed = new Map<string, RunFacts>();
  const change = (run: Json, compliance: unknown) => {
    const facts = {
      name: textOf(run['name']),
      fingerprint: textOf(run['fingerprint']),
      compliance: textOf(compliance),
    };
    changed.set(runKey(facts), facts);
    runs.set(runKey(facts), facts);
  };
  for (const run of all('started')) change(run, run['compliance']);
  for (const run of all('judged')) change(run, run['now']);
  const [first] = parts;
  const payload = first?.payload ?? {};
  return {
    index,
    at: first?.at ?? Number.NaN,
    by: first?.actor ?? null,
    trigger: payload['trigger'],
    compliance: objectOf(payload['compliance'])['now'],
    policies: listIn(payload, 'policies'),
    changed,
    exited,
    runs: new Map(runs),
  };
}
