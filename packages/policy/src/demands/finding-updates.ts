import type { FindingEvidence, Severity } from '../readings.ts';

export interface Updates {
  /** "lodash@4.17.20 to 4.17.21", most helpful first. */
  readonly updates: readonly string[];
  /** Findings that are still too many, and that no known version fixes. */
  readonly rest: readonly FindingEvidence[];
}

/** Returns the fewest updates, as far as fixed versions are known, that bring findings down to what is allowed. */
export function updatesFor(findings: readonly FindingEvidence[], excessOf: ReadonlyMap<Severity, number>): Updates {
  const left = new Map(excessOf);
  const fixable = findings.filter(({ component, fixed }) => component !== undefined && fixed !== undefined);
  const byComponent = [...Map.groupBy(fixable, ({ component = '' }) => component)].toSorted(
    ([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1),
  );
  const updates: string[] = [];
  for (const [component, ones] of byComponent) {
    if (!ones.some(({ severity }) => (left.get(severity) ?? 0) > 0)) continue;
    for (const { severity } of ones) left.set(severity, (left.get(severity) ?? 0) - 1);
    const versions = ones.flatMap(({ fixed }) => fixed ?? []);
    updates.push(`${component} to ${versions.reduce((one, other) => (isNewer(other, one) ? other : one))}`);
  }
  const rest = findings.filter(
    ({ severity, component, fixed }) =>
      (component === undefined || fixed === undefined) && (left.get(severity) ?? 0) > 0,
  );
  return { updates, rest };
}

/** Good enough for a suggestion: digits are compared as numbers. */
function isNewer(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0;
}
