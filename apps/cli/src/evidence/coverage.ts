/** Covered lines and all coverable lines. */
export interface Coverage {
  readonly format: 'cobertura' | 'jacoco' | 'lcov';
  readonly covered: number;
  readonly valid: number;
}

/** Undefined for another format; a message for a truncated report, or one without numbers. */
export type ReadCoverage = Coverage | string | undefined;

export function readCobertura(text: string, openTag: string): ReadCoverage {
  if (!/\sline-rate\s*=/.test(openTag)) return undefined;
  if (!isWhole(text, 'coverage')) return 'it is truncated';
  const covered = attribute(openTag, 'lines-covered');
  const valid = attribute(openTag, 'lines-valid');
  if (covered !== undefined && valid !== undefined) return checked({ format: 'cobertura', covered, valid });
  // Older writers give a rate only, so the lines are counted.
  const lines = [...text.matchAll(/<line\s[^<>]*?\bhits\s*=\s*["'](\d+)["']/g)];
  return checked({
    format: 'cobertura',
    covered: lines.filter(([, hits]) => hits !== '0').length,
    valid: lines.length,
  });
}

export function readJacoco(text: string): ReadCoverage {
  if (!/<counter\s[^<>]*type\s*=\s*["'](LINE|INSTRUCTION)["']/.test(text)) return undefined;
  if (!isWhole(text, 'report')) return 'it is truncated';
  // The counters of the whole report come last.
  const last = [...text.matchAll(/<counter\s[^<>]*type\s*=\s*["']LINE["'][^<>]*>/g)].at(-1)?.[0] ?? '';
  const covered = attribute(last, 'covered');
  const missed = attribute(last, 'missed');
  if (covered === undefined || missed === undefined) return 'it counts no lines';
  return checked({ format: 'jacoco', covered, valid: covered + missed });
}

export function readLcov(text: string): ReadCoverage {
  if (!/^(TN|SF):/.test(text)) return undefined;
  if (!text.trimEnd().endsWith('end_of_record')) return 'it is truncated';
  const sum = (key: string) =>
    [...text.matchAll(new RegExp(`^${key}:(\\d{1,9})$`, 'gm'))].reduce((total, [, count]) => total + Number(count), 0);
  return checked({ format: 'lcov', covered: sum('LH'), valid: sum('LF') });
}

export function percentOf(reports: readonly Coverage[]): number {
  const covered = reports.reduce((sum, report) => sum + report.covered, 0);
  const valid = reports.reduce((sum, report) => sum + report.valid, 0);
  return (100 * covered) / valid;
}

function checked(coverage: Coverage): ReadCoverage {
  if (coverage.valid === 0) return 'it counts no lines';
  return coverage.covered > coverage.valid ? 'it counts more covered lines than lines' : coverage;
}

function attribute(tag: string, name: string): number | undefined {
  const [, digits] = new RegExp(`\\s${name}\\s*=\\s*["'](\\d{1,9})["']`).exec(tag) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function isWhole(text: string, root: string): boolean {
  const end = text.lastIndexOf(`</${root}`);
  return end !== -1 && /^\s*>\s*$/.test(text.slice(end + root.length + 2));
}
