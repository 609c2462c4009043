import type { Findings } from './findings.ts';

/** What a verification found out, besides what differs. */
export interface Outcome {
  readonly findings: Findings;
  /** Records that follow from entries of the ledger. */
  readonly proven: Set<string>;
  /** Files and members that do not, with the reason. */
  readonly unproven: Map<string, string>;
  /** Members that no ledger has, with the reason. They leave a package proven. */
  readonly asides: Map<string, string>;
  /** What was computed again, and is the same unless findings say otherwise. */
  readonly recomputed: string[];
  /** What was not computed again. */
  readonly recorded: string[];
}

export function createOutcome(findings: Findings): Outcome {
  return { findings, proven: new Set(), unproven: new Map(), asides: new Map(), recomputed: [], recorded: [] };
}
