/** Worst first. A level of SARIF, to which the severities of other tools are mapped. */
export const FINDING_LEVELS = ['error', 'warning', 'note'] as const;
export type FindingLevel = (typeof FINDING_LEVELS)[number];

export interface Finding {
  id: string;
  level: FindingLevel;
  message: string;
  location: string | null;
}

export interface Scan {
  tools: { name: string; version: string }[];
  findings: Finding[];
}

export interface Findings {
  tool: { name: string; version: string };
  errors: number;
  warnings: number;
  notes: number;
  total: number;
  /** The first 100, worst first. */
  findings: Finding[];
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
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,2}(\.\d{1,20})?$/.test(text) || Number(text) > 10) return undefined;
  if (Number(text) >= 7) return 'error';
  return Number(text) >= 4 ? 'warning' : 'note';
}

export function worseOf(one: FindingLevel, other: FindingLevel | undefined): FindingLevel {
  return other !== undefined && FINDING_LEVELS.indexOf(other) < FINDING_LEVELS.indexOf(one) ? other : one;
}
