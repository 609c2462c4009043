import type { AttestationOutcome } from '@waymark/contract';
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
  /** What else the reporter is told about evidence that is compliant. */
  readonly remark?: string;
  /** The template it was judged by, where that mattered; null for a flow that was not there. */
  readonly judgedTemplate?: string | null;
}

export const VERDICT_VERSION = 'verdict/4';

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

/** The first three, so that nobody has to open the file to know where to look. */
export function firstOf(found: readonly string[]): string {
  return found.slice(0, 3).join(', ') + (found.length > 3 ? ' and more' : '');
}
