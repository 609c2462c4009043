import * as z from 'zod';
import { highestScore, levelOfSeverity, type Scan, type ScannedFinding, severityOf } from './finding.ts';
import { isObject } from './json-document.ts';
import { listOf, shaped } from './shape.ts';
import { Unreadable } from './unreadable.ts';

const Severity = z.string().max(100).nullish();

const Vulnerability = z.object({
  VulnerabilityID: z.string(),
  PkgName: z.string().nullish(),
  InstalledVersion: z.string().nullish(),
  Title: z.string().nullish(),
  FixedVersion: z.string().nullish(),
  PkgIdentifier: z.object({ PURL: z.string().nullish() }).nullish(),
  VendorIDs: listOf(z.string()).nullish(),
  CVSS: z.record(z.string(), z.object({ V3Score: z.unknown(), V40Score: z.unknown() }).partial()).nullish(),
  Severity,
});
type Vulnerability = z.infer<typeof Vulnerability>;

const Misconfiguration = z.object({
  ID: z.string().nullish(),
  AVDID: z.string().nullish(),
  Title: z.string().nullish(),
  Status: z.string().nullish(),
  Severity,
});

const Secret = z.object({
  RuleID: z.string(),
  Title: z.string().nullish(),
  StartLine: z.number().nullish(),
  Severity,
});

const License = z.object({ Name: z.string(), PkgName: z.string().nullish(), FilePath: z.string().nullish(), Severity });

const Result = z.object({
  Target: z.string(),
  Vulnerabilities: listOf(Vulnerability).nullish(),
  Misconfigurations: listOf(Misconfiguration).nullish(),
  Secrets: listOf(Secret).nullish(),
  Licenses: listOf(License).nullish(),
});
type Result = z.infer<typeof Result>;

const Report = z.object({
  SchemaVersion: z.literal(2),
  Trivy: z.object({ Version: z.string().nullish() }).nullish(),
  Results: listOf(Result).nullish(),
});

export function isTrivy(document: unknown): boolean {
  return isObject(document) && 'SchemaVersion' in document && ('ArtifactName' in document || 'Results' in document);
}

/** Reads the JSON of Trivy. Without a result it is unknown what was scanned, so it proves nothing. */
export function readTrivy(name: string, document: unknown): Scan {
  const { Trivy: tool, Results: results } = shaped(name, Report, document);
  if (!results || results.length === 0) {
    throw new Unreadable(`${name}: Results: Trivy lists no target that it scanned, so nothing was scanned.`);
  }
  return { tools: [{ name: 'Trivy', version: tool?.Version ?? '' }], findings: results.flatMap(findingsOf) };
}

function findingsOf(result: Result): ScannedFinding[] {
  const { Target: target } = result;
  return [
    ...(result.Vulnerabilities ?? []).map((one) => vulnerable(one, target)),
    ...(result.Misconfigurations ?? [])
      .filter(({ Status: status }) => (status ?? 'FAIL') === 'FAIL')
      .map((one) => finding(one.ID ?? one.AVDID ?? '', one.Severity, one.Title, target)),
    ...(result.Secrets ?? []).map((one) =>
      finding(one.RuleID, one.Severity, one.Title, one.StartLine == null ? target : `${target}:${one.StartLine}`),
    ),
    ...(result.Licenses ?? []).map((one) =>
      finding(one.Name, one.Severity, 'License', one.PkgName ?? one.FilePath ?? target),
    ),
  ];
}

function vulnerable(one: Vulnerability, target: string): ScannedFinding {
  const component = packageOf(one.PkgName, one.InstalledVersion);
  return {
    ...finding(one.VulnerabilityID, one.Severity, one.Title, component ?? target),
    aliases: one.VendorIDs ?? [],
    score: highestScore(Object.values(one.CVSS ?? {}).map(({ V3Score, V40Score }) => V3Score ?? V40Score)),
    component: one.PkgIdentifier?.PURL || component,
    fixed: one.FixedVersion ?? undefined,
  };
}

function finding(
  id: string,
  severity: string | null | undefined,
  title: string | null | undefined,
  location: string,
): ScannedFinding {
  return {
    id,
    level: levelOfSeverity(severity ?? ''),
    message: title ?? '',
    location: location || null,
    severity: severityOf(severity),
  };
}

function packageOf(name: string | null | undefined, version: string | null | undefined): string | undefined {
  return [name, version].filter(Boolean).join('@') || undefined;
}
