import type { RunCompliance } from '../../../platform/db/tables.ts';
import type { RunAt } from './snapshot.reads.ts';

export interface SnapshotArtifactFilter {
  /** Part of the name, ignoring case. */
  readonly nameContains: string | undefined;
  /** Any of these; all when empty. */
  readonly compliances: readonly RunCompliance[];
}

export interface ArtifactOrder {
  readonly sort: 'compliance' | 'name' | 'started_at' | 'flow';
  readonly direction: 'asc' | 'desc';
}

export function matchingRuns(runs: readonly RunAt[], { nameContains, compliances }: SnapshotArtifactFilter): RunAt[] {
  const part = nameContains?.toLowerCase();
  return runs.filter(
    (run) =>
      (part === undefined || run.name.toLowerCase().includes(part)) &&
      (compliances.length === 0 || (!run.hasExited && compliances.includes(run.compliance))),
  );
}

const BADNESS: Readonly<Record<RunCompliance, number>> = { 'non-compliant': 0, unknown: 1, waived: 2, compliant: 3 };
const EXITED = 4;

/** Equal items stay in the order of names and fingerprints, in which runs are read. */
export function sortRuns(runs: RunAt[], order: ArtifactOrder, flowNameOf: (run: RunAt) => string): RunAt[] {
  const compareRuns = comparison(order.sort, flowNameOf);
  return runs.sort(order.direction === 'asc' ? compareRuns : (a, b) => -compareRuns(a, b));
}

function comparison(sort: ArtifactOrder['sort'], flowNameOf: (run: RunAt) => string) {
  if (sort === 'compliance') return (a: RunAt, b: RunAt) => rank(a) - rank(b);
  if (sort === 'started_at') return (a: RunAt, b: RunAt) => a.startedIn - b.startedIn;
  const nameOf = sort === 'flow' ? flowNameOf : (run: RunAt) => run.name;
  return (a: RunAt, b: RunAt) => compare(nameOf(a), nameOf(b));
}

function rank(run: RunAt): number {
  return run.hasExited ? EXITED : BADNESS[run.compliance];
}

/** Compares as the database does. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function countRuns(runs: readonly RunAt[]) {
  const counts = { compliant: 0, 'non-compliant': 0, unknown: 0, waived: 0, exited: 0 };
  for (const run of runs) counts[run.hasExited ? 'exited' : run.compliance]++;
  return counts;
}
