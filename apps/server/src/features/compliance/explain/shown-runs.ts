import type { RunCompliance } from '../../../platform/db/tables.ts';

/** More artifacts than this are a large environment. */
const SMALL = 100;
/** How many decisions of policies are explained at most. */
const MAX_DECISIONS = 2_000;

const FROM_WORST: readonly RunCompliance[] = ['non-compliant', 'waived', 'unknown', 'compliant'];

/** What fails comes first and, in a large environment, nothing else unless all is asked for. */
export function shownRuns<Run extends { readonly compliance: RunCompliance }>(
  runs: readonly Run[],
  policyCount: number,
  isAll: boolean,
): Run[] {
  const isSmall = runs.length <= SMALL;
  const wanted = isAll || isSmall ? runs : runs.filter(({ compliance }) => compliance === 'non-compliant');
  const most = Math.max(1, Math.floor(MAX_DECISIONS / Math.max(1, policyCount)));
  return wanted.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
}

function rank({ compliance }: { readonly compliance: RunCompliance }): number {
  return FROM_WORST.indexOf(compliance);
}
