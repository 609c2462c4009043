import * as z from 'zod';
import { highestScore, levelOfScore, type Scan, type ScannedFinding, severityOf, severityOfScore } from './finding.ts';
import { isObject } from './json-document.ts';
import { listOf, shaped } from './shape.ts';

const Event = z.object({ fixed: z.string().nullish() });
const Vulnerability = z.object({
  id: z.string(),
  summary: z.string().nullish(),
  aliases: listOf(z.string()).nullish(),
  database_specific: z.object({ severity: z.unknown() }).partial().nullish(),
  affected: listOf(
    z.object({
      package: z.object({ name: z.string().nullish(), purl: z.string().nullish() }).nullish(),
      ranges: listOf(z.object({ events: listOf(Event).nullish() })).nullish(),
    }),
  ).nullish(),
});
type Vulnerability = z.infer<typeof Vulnerability>;

const Package = z.object({
  package: z.object({ name: z.string(), version: z.string().nullish(), ecosystem: z.string().nullish() }),
  vulnerabilities: listOf(Vulnerability).nullish(),
  groups: listOf(z.object({ ids: listOf(z.string()), max_severity: z.string().nullish() })).nullish(),
});
type Package = z.infer<typeof Package>;

const Report = z.object({ results: listOf(z.object({ packages: listOf(Package).nullish() })).nullish() });

export function isOsvScanner(document: unknown): boolean {
  if (!isObject(document) || !('results' in document)) return false;
  if ('experimental_config' in document) return true;
  const first: unknown = Array.isArray(document['results']) ? document['results'][0] : undefined;
  return isObject(first) && 'packages' in first;
}

export function readOsvScanner(name: string, document: unknown): Scan {
  const { results } = shaped(name, Report, document);
  return {
    tools: [{ name: 'OSV-Scanner', version: '' }],
    findings: (results ?? []).flatMap(({ packages }) => (packages ?? []).flatMap(findingsOf)),
  };
}

/** One per group: a vulnerability has an entry for each of its aliases. */
function findingsOf({ package: affected, vulnerabilities, groups }: Package): ScannedFinding[] {
  const location = [affected.name, affected.version].filter(Boolean).join('@') || null;
  const known = new Map((vulnerabilities ?? []).map((one) => [one.id, one]));
  const grouped = new Set((groups ?? []).flatMap(({ ids }) => ids));
  const finding = (ids: readonly string[], score: unknown): ScannedFinding => {
    const entries = ids.flatMap((id) => known.get(id) ?? []);
    return {
      id: ids[0] ?? '',
      level: levelOfScore(score) ?? 'warning',
      message: entries.find(({ summary }) => summary)?.summary ?? '',
      location,
      severity: severityOfScore(score) ?? ratedIn(entries),
      aliases: [...ids, ...entries.flatMap(({ aliases }) => aliases ?? [])],
      score: highestScore([score]),
      component: purlIn(entries, affected) ?? location ?? undefined,
      fixed: fixedIn(entries, affected.name),
    };
  };
  return [
    ...(groups ?? []).map(({ ids, max_severity: score }) => finding(ids, score)),
    ...[...known.keys()].filter((id) => !grouped.has(id)).map((id) => finding([id], undefined)),
  ];
}

/** The word that a database such as GitHub's uses. */
function ratedIn(entries: readonly Vulnerability[]) {
  const words = entries.map((one) => one.database_specific?.severity).filter((word) => typeof word === 'string');
  return severityOf(words[0]);
}

function purlIn(entries: readonly Vulnerability[], { name, version }: Package['package']): string | undefined {
  const purl = entries.flatMap(({ affected }) => affected ?? []).find((one) => one.package?.name === name)
    ?.package?.purl;
  return purl ? [purl, version].filter(Boolean).join('@') : undefined;
}

function fixedIn(entries: readonly Vulnerability[], name: string): string | undefined {
  const ranges = entries
    .flatMap(({ affected }) => affected ?? [])
    .filter((one) => one.package?.name === name)
    .flatMap((one) => one.ranges ?? []);
  return ranges.flatMap(({ events }) => events ?? []).find(({ fixed }) => fixed)?.fixed ?? undefined;
}
