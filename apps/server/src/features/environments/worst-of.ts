import type { Environment } from '@waymark/contract';

export type Compliance = Environment['compliance'];

const BEST_TO_WORST: readonly Compliance[] = ['compliant', 'unknown', 'non-compliant'];

/** What is made of nothing is not known to be anything. */
export function worstOf(parts: readonly Compliance[]): Compliance {
  return BEST_TO_WORST.findLast((compliance) => parts.includes(compliance)) ?? 'unknown';
}
