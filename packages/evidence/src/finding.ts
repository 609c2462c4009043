/** Worst first. A level of SARIF, to which the severities of other tools are mapped. */
export const FINDING_LEVELS = ['error', 'warning', 'note'] as const;
export type FindingLevel = (typeof FINDING_LEVELS)[number];

/** Worst first. `unknown` where the tool rates nothing. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'unknown'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Finding {
  id: string;
  level: FindingLevel;
  message: string;
  location: string | null;
}

/** A finding with everything that rules and searches use. */
export interface ScannedFinding extends Finding {
  severity: Severity;
  /** Other names of the same vulnerability. */
  aliases?: readonly string[] | undefined;
  /** A CVSS base score. */
  score?: number | undefined;
  /** The affected package: its purl, or `name@version`. */
  component?: string | undefined;
  /** The version in which it is fixed. */
  fixed?: string | undefined;
}

export interface Scan {
  tools: { name: string; version: string }[];
  findings: ScannedFinding[];
}

/** Returns the level for a severity of a scanner. An unrated finding is a warning, as in SARIF. */
export function levelOfSeverity(severity: string): FindingLevel {
  switch (severity.toLowerCase()) {
    case 'critical':
    case 'high':
      return 'error';
    case 'low':
    case 'negligible':
    case 'info':
    case 'informational':
      return 'note';
    default:
      return 'warning';
  }
}

/** Returns the level for a CVSS score, or undefined if it is not a score from 0 to 10. */
export function levelOfScore(value: unknown): FindingLevel | undefined {
  const score = scoreOf(value);
  if (score === undefined) return undefined;
  if (score >= 7) return 'error';
  return score >= 4 ? 'warning' : 'note';
}

export function worseOf(one: FindingLevel, other: FindingLevel | undefined): FindingLevel {
  return other !== undefined && FINDING_LEVELS.indexOf(other) < FINDING_LEVELS.indexOf(one) ? other : one;
}

/** Returns the severity for the word that a scanner uses. */
export function severityOf(word: string | null | undefined): Severity {
  switch (word?.toLowerCase()) {
    case 'critical':
      return 'critical';
    case 'high':
    case 'important':
      return 'high';
    case 'medium':
    case 'moderate':
      return 'medium';
    case 'low':
    case 'negligible':
    case 'info':
    case 'informational':
    case 'none':
      return 'low';
    default:
      return 'unknown';
  }
}

/** Returns the severity for a CVSS score by the scale of CVSS 3.1, or undefined if it is not a score. */
export function severityOfScore(value: unknown): Severity | undefined {
  const score = scoreOf(value);
  if (score === undefined) return undefined;
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}

/** Returns a CVSS score, given as a number or as text. */
export function scoreOf(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,2}(\.\d{1,20})?$/.test(text) || Number(text) > 10) return undefined;
  return Number(text);
}

export function highestScore(values: readonly unknown[]): number | undefined {
  const scores = values.flatMap((value) => scoreOf(value) ?? []);
  return scores.length === 0 ? undefined : Math.max(...scores);
}
