import type { AttestationRow, NewComponent } from './attestation.store.ts';

/** What the server makes of evidence. Everything needed to replay it is kept: the input, and the versions named here. */
export interface Verdict {
  readonly isCompliant: boolean;
  /** Why not, in sentences. */
  readonly reasons: readonly string[];
  /** Where there is more to tell apart than passed and failed. */
  readonly outcome?: AttestationOutcome;
  /** What was read in the attachment. */
  readonly read?: unknown;
  /** What judged, and which version of it. */
  readonly judgedBy: Readonly<Record<string, string>>;
  readonly typeVersion?: number;
  readonly control?: string;
  readonly trust?: AttestationRow['trust'];
  readonly components?: readonly NewComponent[];
}

export const VERDICT_VERSION = 'verdict/1';

export function verdict(reasons: readonly string[], more: Partial<Verdict> = {}): Verdict {
  return {
    isCompliant: reasons.length === 0,
    reasons,
    ...more,
    judgedBy: { verdict: VERDICT_VERSION, ...more.judgedBy },
  };
}

/** One or many, in words. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
