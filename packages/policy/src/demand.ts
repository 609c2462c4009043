import type { AttestationEvidence, FlowEvidence } from './evidence.ts';
import type { NamesReadings, Readings } from './readings.ts';

/** Something that a rule asks of its evidence beside name and type, such as a maximum age. One field of the rule. */
export interface Demand {
  /** As in the policy. */
  readonly field: string;
  /** What the field says, for the definition of the rule. */
  readonly value: unknown;
  /** Follows the evidence in a reason: ", at most 14 days old". */
  readonly inWords: string;
  /** Null when the evidence meets it. */
  readonly judge: (attestation: AttestationEvidence, place: Place) => Unmet | null;
  /** Of a demand that depends on the time: the instants, in seconds, from which the result may be another. */
  readonly turnsAt?: (attestation: AttestationEvidence, place: Place) => readonly number[];
  /**
   * What is worth knowing although the evidence meets the demand: members of the resolution's context, with wire names.
   * Undefined for nothing.
   */
  readonly remarkOn?: (attestation: AttestationEvidence, place: Place) => Readonly<Record<string, unknown>> | undefined;
  /** Of a demand that judges by lists beside the evidence: those that it needs. */
  readonly reads?: NamesReadings;
}

/** Where and when evidence is judged. */
export interface Place {
  readonly flow: FlowEvidence;
  /** Seconds. Null where no rule of the policy depends on the time. */
  readonly at: number | null;
  /** Absent where no rule of the policy asks for any. */
  readonly readings?: Readings | undefined;
}

export interface Unmet {
  /** Whether the evidence fails, which counts anywhere. Otherwise it counts as missing. */
  readonly fails: boolean;
  /** Members of the resolution's context, with wire names. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Follows "In flow 'web', trail 'release-7',", without a period: "'scan' is 15 days old". */
  readonly found: string;
  /** The cheapest way to meet it, a sentence. */
  readonly fix: string;
}

export function isTimed({ turnsAt }: Demand): boolean {
  return turnsAt !== undefined;
}

export function asksForReadings({ reads }: Demand): boolean {
  return reads !== undefined;
}

/** The first demand that is not met. An override as compliant covers what would fail, and takes responsibility for it. */
export function unmetOf(demands: readonly Demand[], attestation: AttestationEvidence, place: Place): Unmet | null {
  const isCovered = attestation.isOverride && attestation.isCompliant;
  let missing: Unmet | null = null;
  for (const demand of demands) {
    const unmet = demand.judge(attestation, place);
    if (unmet === null || (unmet.fails && isCovered)) continue;
    if (unmet.fails) return unmet;
    missing ??= unmet;
  }
  return missing;
}
