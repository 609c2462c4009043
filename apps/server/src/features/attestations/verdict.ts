import type { AttestationOutcome } from '@waymark/contract';
import type { SbomComponent } from '@waymark/evidence';
import type { NewReading } from '../readings/reading.service.ts';
import type { AttestationRow } from './attestation.store.ts';

/**
 * The server's verdict on evidence. Everything needed to replay it is stored: the input, and the versions named here.
 */
export interface EvidenceVerdict {
  readonly isCompliant: boolean;
  /** The reasons for non-compliance, as messages. */
  readonly reasons: readonly string[];
  /** Set where there are more outcomes than passed and failed. */
  readonly outcome?: AttestationOutcome;
  /** What was parsed from the attachment. */
  readonly read?: unknown;
  /** The engine that judged, and its version. */
  readonly judgedBy: Readonly<Record<string, string>>;
  readonly typeVersion?: number;
  readonly control?: string;
  readonly trust?: AttestationRow['trust'];
  readonly components?: readonly SbomComponent[];
  /** The list that rules judge, which is too long for the verdict. */
  readonly reading?: NewReading;
  /** A further message to the reporter about compliant evidence. */
  readonly remark?: string;
  /** The template it was judged by, where that mattered; null for an unknown flow. */
  readonly judgedTemplate?: string | null;
}

export const VERDICT_VERSION = 'verdict/4';

export function verdict(reasons: readonly string[], more: Partial<EvidenceVerdict> = {}): EvidenceVerdict {
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

/** Names the first three, so that nobody has to open the file to know where to start. */
export function firstOf(found: readonly string[]): string {
  return found.slice(0, 3).join(', ') + (found.length > 3 ? ' and more' : '');
}
