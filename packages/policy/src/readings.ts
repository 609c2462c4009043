import type { AttestationEvidence } from './evidence.ts';

/** Worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'unknown'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A finding of a scan. */
export interface FindingEvidence {
  readonly id: string;
  readonly severity: Severity;
  /** Other names of the same vulnerability. */
  readonly aliases?: readonly string[];
  /** A CVSS base score. */
  readonly score?: number;
  /** The affected package: its purl, or `name@version`. */
  readonly component?: string;
  /** The version in which it is fixed. */
  readonly fixed?: string;
  /** Where it is, if not in a package. */
  readonly location?: string;
  readonly title?: string;
  /** Seconds: when it was first reported in this flow for an artifact of this name. */
  readonly seen: number;
}

export interface FindingsReading {
  readonly kind: 'findings';
  readonly findings: readonly FindingEvidence[];
  /** The number of findings that are not stored one by one. */
  readonly others: Readonly<Partial<Record<Severity, number>>>;
}

/** What a VEX document says about a vulnerability in an artifact. */
export interface VexEvidence {
  /** The vulnerability and its aliases. */
  readonly names: readonly string[];
  readonly status: 'not_affected' | 'affected' | 'fixed' | 'under_investigation';
  /** The components in which it has the status. Absent for the whole artifact. */
  readonly components?: readonly string[];
  readonly justification?: string;
  /** Seconds: when it was made, by what the document says. */
  readonly at?: number;
}

export interface VexReading {
  readonly kind: 'vex';
  readonly format: string;
  /** By what the document says. */
  readonly author: string;
  readonly statements: readonly VexEvidence[];
}

/**
 * A list that was read from evidence and is too long to be part of it. Evidence names it by the SHA-256 of its text, so
 * it never changes.
 */
export type Reading = FindingsReading | VexReading;

/** By their names. */
export type Readings = ReadonlyMap<string, Reading>;

/** Reads the text of a reading. */
export function readReading(text: string): Reading {
  return JSON.parse(text) as Reading;
}

/** The number of items in a reading. */
export function sizeOfReading(reading: Reading): number {
  return reading.kind === 'vex' ? reading.statements.length : reading.findings.length;
}

/** A reading that a decision needs, and about how much it holds. */
export interface NeededReading {
  readonly id: string;
  readonly count: number;
}

/** Of an attestation, and of the others in its flow. */
export type NamesReadings = (
  attestation: AttestationEvidence,
  others: readonly AttestationEvidence[],
) => readonly NeededReading[];
