import { type ScannedFinding, SEVERITIES, type Severity } from './finding.ts';
import { shorten } from './shorten.ts';

/** A finding in the form that is stored, searched, and judged. Members that a tool does not give are absent. */
export interface NormalizedFinding {
  id: string;
  severity: Severity;
  aliases?: readonly string[];
  score?: number;
  component?: string;
  fixed?: string;
  location?: string;
  title?: string;
}

export interface NormalizedFindings {
  /** Each once, worst first. */
  findings: NormalizedFinding[];
  /** The number of those that are left out, by severity: the least severe, beyond what is stored of one scan. */
  others: Partial<Record<Severity, number>>;
}

const FINDINGS_MAX = 10_000;
const CHARACTERS_MAX = 4 * 1024 * 1024;
const ALIASES_MAX = 20;
const MAX_LENGTH = { id: 200, component: 500, fixed: 100, location: 300, title: 200 } as const;

/** Brings findings into one form and order, so that the same findings are the same text. */
export function normalizeFindings(found: readonly ScannedFinding[]): NormalizedFindings {
  const unique = new Map<string, NormalizedFinding>();
  for (const one of found) {
    const finding = normalized(one);
    const key = JSON.stringify([finding.id, finding.component, finding.location]);
    const known = unique.get(key);
    if (known === undefined || rankOf(finding) < rankOf(known)) unique.set(key, finding);
  }
  const sorted = [...unique].sort(([a, one], [b, other]) => rankOf(one) - rankOf(other) || (a < b ? -1 : 1));
  const others: NormalizedFindings['others'] = {};
  const findings: NormalizedFinding[] = [];
  let characters = 0;
  for (const [, finding] of sorted) {
    characters += lengthOf(finding);
    if (findings.length < FINDINGS_MAX && characters <= CHARACTERS_MAX) findings.push(finding);
    else others[finding.severity] = (others[finding.severity] ?? 0) + 1;
  }
  return { findings, others };
}

function rankOf({ severity }: NormalizedFinding): number {
  return SEVERITIES.indexOf(severity);
}

function normalized({ id, severity, aliases = [], score, component, fixed, location, message }: ScannedFinding) {
  const name = shorten(id, MAX_LENGTH.id);
  const names = new Set(aliases.map((alias) => shorten(alias, MAX_LENGTH.id)));
  names.delete(name);
  names.delete('');
  const finding: NormalizedFinding = { id: name, severity };
  if (names.size > 0) finding.aliases = [...names].sort().slice(0, ALIASES_MAX);
  if (score !== undefined) finding.score = score;
  if (component) finding.component = shorten(component, MAX_LENGTH.component);
  if (fixed) finding.fixed = shorten(fixed, MAX_LENGTH.fixed);
  // A package is where it is.
  if (location && !component) finding.location = shorten(location, MAX_LENGTH.location);
  if (message) finding.title = shorten(message.trim().split('\n', 1)[0] ?? '', MAX_LENGTH.title);
  return finding;
}

function lengthOf({ id, aliases = [], component = '', fixed = '', location = '', title = '' }: NormalizedFinding) {
  const texts = [id, ...aliases, component, fixed, location, title];
  return texts.reduce((sum, text) => sum + text.length, 100);
}
