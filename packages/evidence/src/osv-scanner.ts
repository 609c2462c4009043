import * as z from 'zod';
import { type Finding, levelOfScore, type Scan } from './finding.ts';
import { isObject } from './json-document.ts';
import { listOf, shaped } from './shape.ts';

const Package = z.object({
  package: z.object({ name: z.string(), version: z.string().nullish() }),
  vulnerabilities: listOf(z.object({ id: z.string(), summary: z.string().nullish() })).nullish(),
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
function findingsOf({ package: affected, vulnerabilities, groups }: Package): Finding[] {
  const location = [affected.name, affected.version].filter(Boolean).join('@') || null;
  const known = new Map((vulnerabilities ?? []).map(({ id, summary }) => [id, summary ?? '']));
  const grouped = new Set((groups ?? []).flatMap(({ ids }) => ids));
  return [
    ...(groups ?? []).map(({ ids, max_severity: score }) => ({
      id: ids[0] ?? '',
      level: levelOfScore(score) ?? ('warning' as const),
      message: ids.map((id) => known.get(id)).find(Boolean) ?? '',
      location,
    })),
    ...[...known]
      .filter(([id]) => !grouped.has(id))
      .map(([id, message]) => ({ id, level: 'warning' as const, message, location })),
  ];
}
