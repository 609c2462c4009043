import { counted, inBrief } from './in-words.ts';
import type { Explanation, Status } from './judgement.ts';

/** The nodes that decide, and their result. */
export interface Outcome {
  readonly status: Status;
  readonly failing: readonly Explanation[];
  readonly missing: readonly Explanation[];
}

/** Failure outranks incompleteness. */
export function outcomeOf(nodes: readonly Explanation[]): Outcome {
  const causes = nodes.flatMap(causesOf);
  const failing = causes.filter(({ status }) => status === 'NON-COMPLIANT');
  const missing = causes.filter(({ kind, status }) => status === 'MISSING' && kind !== 'unplaced');
  if (failing.length > 0) return { status: 'NON-COMPLIANT', failing, missing };
  return { status: missing.length > 0 ? 'INCOMPLETE' : 'COMPLIANT', failing, missing };
}

/** Problems of a node itself: those of a missing artifact's requirements come later. */
function causesOf(node: Explanation): readonly Explanation[] {
  if (node.status === 'COMPLIANT') return [];
  return node.kind === 'artifact' && node.status !== 'MISSING' ? node.children.flatMap(causesOf) : [node];
}

/** Why it is not compliant. Empty when it is. */
export function problemsOf({ failing, missing }: Outcome): string {
  const failures = inBrief(becauseOf(failing), (count) => `And ${count} more ${count === 1 ? 'fails' : 'fail'}.`);
  const gaps = inBrief(becauseOf(missing), (count) => `And ${count} more ${count === 1 ? 'is' : 'are'} missing.`);
  return [failures, gaps].filter((text) => text !== '').join(' ');
}

export function fixOf({ failing, missing }: Outcome): string | null {
  const fixes = [...failing, ...missing].flatMap(({ fix }) => fix ?? []);
  return fixes.length === 0 ? null : inBrief(fixes, (count) => `Then fix ${counted(count, 'more problem')}.`);
}

/** The newest deciding evidence: failures if there are any, else all that counts. */
export function sinceOf({ failing }: Outcome, all: readonly (number | null)[]): number | null {
  const deciding = failing.length > 0 ? failing.map(({ since }) => since) : all;
  return deciding.reduce((newest, at) => (newest === null || (at !== null && at > newest) ? at : newest), null);
}

function becauseOf(nodes: readonly Explanation[]): string[] {
  return nodes.map(({ because }) => because);
}
