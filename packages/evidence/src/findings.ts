import { hasCycloneDxFindings, readCycloneDxFindings } from './cyclonedx-findings.ts';
import type { EvidenceFile } from './evidence-file.ts';
import { FINDING_LEVELS, type Finding, type Scan } from './finding.ts';
import { isGitleaks, readGitleaks } from './gitleaks.ts';
import { isGrype, readGrype } from './grype.ts';
import { isObject, readJson } from './json-document.ts';
import { otherFormatOf } from './known-formats.ts';
import { type NormalizedFindings, normalizeFindings } from './normalized-findings.ts';
import { isOsvScanner, readOsvScanner } from './osv-scanner.ts';
import { readEach } from './read-each.ts';
import { readSarif } from './sarif.ts';
import { shorten } from './shorten.ts';
import { readSnyk } from './snyk.ts';
import { isTrivy, readTrivy } from './trivy.ts';
import { OtherFormat } from './unreadable.ts';

export interface Findings {
  tool: { name: string; version: string };
  errors: number;
  warnings: number;
  notes: number;
  total: number;
  /** The first 100, worst first. */
  findings: Finding[];
  /** All of them within bounds, in one form for all tools. */
  normalized: NormalizedFindings;
}

const LISTED = 100;
const MAX_TEXT_LENGTH = 500;

/**
 * Reads the findings of a scanner: SARIF 2.1.0, the JSON of Snyk, Trivy, Grype, Gitleaks and OSV-Scanner, or CycloneDX
 * with vulnerabilities.
 */
export function readFindings(file: EvidenceFile): Findings {
  const scans = readEach(file, { what: 'scan result', opening: '{[', endings: ['.json', '.sarif'] }, readScan);
  const findings = scans.flatMap((scan) => scan.findings);
  const byLevel = FINDING_LEVELS.map((level) => findings.filter((finding) => finding.level === level));
  const [errors = [], warnings = [], notes = []] = byLevel;
  return {
    tool: {
      name: joined(scans.flatMap((scan) => scan.tools.map((tool) => tool.name))),
      version: joined(scans.flatMap((scan) => scan.tools.map((tool) => tool.version))),
    },
    errors: errors.length,
    warnings: warnings.length,
    notes: notes.length,
    total: findings.length,
    findings: byLevel.flat().slice(0, LISTED).map(shortened),
    normalized: normalizeFindings(findings),
  };
}

function shortened({ id, level, message, location }: Finding): Finding {
  return {
    id: shorten(id, MAX_TEXT_LENGTH),
    level,
    message: shorten(message, MAX_TEXT_LENGTH),
    location: location === null ? null : shorten(location, MAX_TEXT_LENGTH),
  };
}

function readScan(file: EvidenceFile): Scan {
  const document = readJson(file);
  if (isObject(document) && 'runs' in document) return readSarif(file.name, document);
  if (isSnyk(document)) return readSnyk(file.name, document);
  if (isTrivy(document)) return readTrivy(file.name, document);
  if (isGrype(document)) return readGrype(file.name, document);
  if (isOsvScanner(document)) return readOsvScanner(file.name, document);
  if (hasCycloneDxFindings(document)) return readCycloneDxFindings(file.name, document);
  if (isGitleaks(document)) return readGitleaks(file.name, document);
  const known = otherFormatOf(document);
  if (known) throw new OtherFormat(`${file.name}: is ${known.name}, not a scan result. ${known.todo}`);
  throw new OtherFormat(
    `${file.name}: is neither SARIF (no "runs") nor a result of Snyk, Trivy, Grype, Gitleaks or OSV-Scanner.`,
  );
}

/** Snyk answers with an object for one project and with a list for several; a failed one has an error instead. */
function isSnyk(document: unknown): boolean {
  const first = Array.isArray(document) ? (document as unknown[])[0] : document;
  if (!isObject(first) || 'bomFormat' in first) return false;
  return 'vulnerabilities' in first || ('ok' in first && 'error' in first);
}

function joined(texts: readonly string[]): string {
  return shorten([...new Set(texts.filter(Boolean))].join(', '), MAX_TEXT_LENGTH);
}
