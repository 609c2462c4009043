import { type Json, objectOf, textOf } from './json.ts';
import type { JournalEntry, PackagedLedger } from './ledger.ts';
import type { ReadPackage } from './read-package.ts';

/** What a package says it is about. */
export interface PackageSubject {
  readonly kind: string;
  readonly org: string;
  readonly flowName: string;
  readonly trailName: string;
  readonly fingerprint: string | null;
  readonly attestationId: string | null;
  readonly environment: string | null;
  readonly exportedFrom: string;
  /** Seconds since 1970, as is the time of every verdict in the package. */
  readonly exportedAt: number;
  readonly engine: string;
}

export function subjectOf({ manifest }: ReadPackage): PackageSubject {
  const about = manifest ?? {};
  const subject = objectOf(about['subject']);
  const kind = textOf(subject['kind']);
  const orNull = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    kind,
    org: textOf(subject['org']),
    flowName: textOf(subject['flow_name']),
    trailName: textOf(kind === 'trail' ? subject['name'] : subject['trail_name']),
    fingerprint: orNull(subject['fingerprint']),
    attestationId: orNull(subject['attestation_id']),
    environment: kind === 'environment' ? orNull(subject['name']) : null,
    exportedFrom: textOf(about['exported_from']),
    exportedAt: typeof about['exported_at'] === 'number' ? about['exported_at'] : Number.NaN,
    engine: textOf(objectOf(about['judged_by'])['compliance']),
  };
}

/** The flow of a trail, as its entries tell. */
export interface FlowFacts {
  /** The current name. Undefined if no entry says. */
  readonly name: string | undefined;
  /** All that it had. */
  readonly names: ReadonlySet<string>;
  readonly tags: Readonly<Record<string, string>>;
}

/** The flow of the trail that a package is about. */
export function flowOf(ledger: PackagedLedger): FlowFacts {
  const entries = ledger.ofKind('flow').flatMap(({ type, payload }) => (payload ? [{ type, payload }] : []));
  const named = entries.filter(({ type }) => type !== 'flow.tagged');
  const names = named.flatMap(({ type, payload }) =>
    type === 'flow.renamed' ? [textOf(payload['from']), textOf(payload['to'])] : [textOf(payload['name'])],
  );
  const tags = new Map<string, string>();
  for (const { payload } of entries.filter(({ type }) => type === 'flow.tagged')) changeTags(tags, payload);
  const sorted = [...tags].sort(([a], [b]) => (a < b ? -1 : 1));
  return { name: names.at(-1), names: new Set(names), tags: Object.fromEntries(sorted) };
}

export function changeTags(tags: Map<string, string>, { removed, set }: Json): void {
  for (const key of Array.isArray(removed) ? removed : []) tags.delete(String(key));
  for (const [key, value] of Object.entries(objectOf(set))) tags.set(key, String(value));
}

/** Returns the name of the org that the log belongs to, as the entry of its creation has it. */
export function orgNameOf(ledger: PackagedLedger): string | undefined {
  const created = ledger.ofKind('org').find(({ type }) => type === 'org.created');
  return created?.payload ? textOf(created.payload['name']) : undefined;
}

/** Entries about records of a flow have the name that it had then. */
export function isOfFlow(flow: FlowFacts, current: string, { payload }: Pick<JournalEntry, 'payload'>): boolean {
  const name = textOf(payload?.['flow']);
  return name === current || flow.names.has(name);
}
