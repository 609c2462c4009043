import type { RunCompliance } from '../../../platform/db/tables.ts';

/** An environment with more artifacts is large. */
const SMALL = 100;
/** The maximum number of policy decisions that are explained. */
const MAX_DECISIONS = 2_000;

const FROM_WORST: readonly RunCompliance[] = ['non-compliant', 'waived', 'unknown', 'compliant'];

/** Failures come first and, in a large environment, alone unless everything is requested. */
export function shownRuns<Run extends { readonly compliance: RunCompliance }>(
  runs: readonly Run[],
  policyCount: number,
  isAll: boolean,
): Run[] {
  const isSmall = runs.length <= SMALL;
  const wanted = isAll || isSmall ? runs : runs.filter(({ compliance }) => compliance === 'non-compliant');
  const limit = Math.max(1, Math.floor(MAX_DECISIONS / Math.max(1, policyCount)));
  return wanted.toSorted((a, b) => rank(a) - rank(b)).slice(0, limit);
}

function rank({ compliance }: { readonly compliance: RunCompliance }): number {
  return FROM_WORST.indexOf(compliance);
}
