import { hash } from 'node:crypto';
import { REPORT_MAX_ARTIFACTS } from '@waymark/contract';
import { invalidField } from '../../platform/errors.ts';
import type { ReportContent, ReportedArtifact } from './run-content.ts';

/** One entry may name several images, though few in practice. */
const MAX_PAIRS = 2 * REPORT_MAX_ARTIFACTS;

/**
 * The detail of an instance is stored with each image that it runs, so a small report could become a huge one. Pods of
 * ten images take less than three times the size of their report.
 */
const DETAIL_PER_BYTE = 8;
const DETAIL_ALWAYS = 1024 * 1024;

/** One entry of a report. */
export interface ReportEntry {
  readonly digests: Readonly<Record<string, string>>;
  readonly creationTimestamp: number;
}

/** What an entry of a report says about its instance. */
export interface Instances<E extends ReportEntry> {
  /** Identifies the instance: entries with the same image and id are one. Without it each entry counts. */
  readonly idOf?: (entry: E) => string;
  /** JSON members of the detail besides the times, each with a leading comma, in the order of `ids`. */
  readonly describe: (entries: readonly E[], ids: readonly string[]) => string;
}

interface Group<E extends ReportEntry> {
  readonly name: string;
  readonly fingerprint: string;
  readonly entries: E[];
}

export function contentOf<E extends ReportEntry>(
  entries: readonly E[],
  instances: Instances<E>,
  sentBytes: number,
): ReportContent {
  const maxDetail = Math.max(DETAIL_ALWAYS, DETAIL_PER_BYTE * sentBytes);
  const artifacts: ReportedArtifact[] = [];
  // Names hold no control characters, so these can separate them.
  let meaning = '';
  let size = 0;
  for (const { name, fingerprint, entries: found } of grouped(entries)) {
    const { ids, counted } = distinct(found, instances);
    const detail = `{"timestamps":[${startsOf(counted)}]${instances.describe(counted, ids)}}`;
    const identities = ids.join('\u0002');
    size += detail.length + identities.length;
    if (size > maxDetail)
      throw invalidField('artifacts', 'contains too much data about instances that each run many images');
    artifacts.push({ name, fingerprint, count: counted.length, detail });
    meaning += `${name}\u0001${fingerprint}\u0001${counted.length}\u0001${identities}\u0003`;
  }
  return { artifacts, digest: hash('sha256', meaning, 'buffer') };
}

/** Two levels, as one name may have thousands of fingerprints. */
function grouped<E extends ReportEntry>(entries: readonly E[]): Group<E>[] {
  const groups: Group<E>[] = [];
  const names: Names<E> = new Map();
  let pairs = 0;
  for (const entry of entries) {
    for (const name in entry.digests) {
      if (++pairs > MAX_PAIRS)
        throw invalidField('artifacts', `must not contain more than ${MAX_PAIRS} names in total`);
      const fingerprint = (entry.digests[name] ?? '').toLowerCase();
      const known = groupOf(names, name, fingerprint);
      if (known) known.entries.push(entry);
      else groups.push(newGroup(names, name, fingerprint, entry));
    }
  }
  if (groups.length > REPORT_MAX_ARTIFACTS) {
    throw invalidField('artifacts', `must not contain more than ${REPORT_MAX_ARTIFACTS} different artifacts`);
  }
  return groups.sort(byNameAndFingerprint);
}

type Names<E extends ReportEntry> = Map<string, Group<E> | Map<string, Group<E>>>;

function groupOf<E extends ReportEntry>(names: Names<E>, name: string, fingerprint: string): Group<E> | undefined {
  const found = names.get(name);
  if (found instanceof Map) return found.get(fingerprint);
  return found?.fingerprint === fingerprint ? found : undefined;
}

function newGroup<E extends ReportEntry>(names: Names<E>, name: string, fingerprint: string, entry: E): Group<E> {
  const group = { name, fingerprint, entries: [entry] };
  const found = names.get(name);
  if (found === undefined) names.set(name, group);
  else if (found instanceof Map) found.set(fingerprint, group);
  else {
    names.set(
      name,
      new Map([
        [found.fingerprint, found],
        [fingerprint, group],
      ]),
    );
  }
  return group;
}

function byNameAndFingerprint(a: Omit<ReportedArtifact, 'count' | 'detail'>, b: typeof a): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.fingerprint < b.fingerprint ? -1 : 1;
}

function distinct<E extends ReportEntry>(entries: readonly E[], instances: Instances<E>) {
  const { idOf } = instances;
  if (!idOf) return { ids: [], counted: entries };
  const [only] = entries;
  if (only && entries.length === 1) return { ids: [idOf(only)], counted: entries };
  const found = new Map<string, E>();
  for (const entry of entries) {
    const id = idOf(entry);
    const other = found.get(id);
    if (!other || comesBefore(entry, other, id, instances)) found.set(id, entry);
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ids: sorted.map(([id]) => id), counted: sorted.map(([, entry]) => entry) };
}

/** Picks one of two duplicates, regardless of their order. */
function comesBefore<E extends ReportEntry>(entry: E, other: E, id: string, { describe }: Instances<E>): boolean {
  if (entry.creationTimestamp !== other.creationTimestamp) return entry.creationTimestamp < other.creationTimestamp;
  return describe([entry], [id]) < describe([other], [id]);
}

function startsOf(entries: readonly ReportEntry[]): string {
  const starts = entries.map((entry) => entry.creationTimestamp);
  return starts.length > 1 ? starts.sort((a, b) => a - b).join(',') : String(starts[0] ?? '');
}
