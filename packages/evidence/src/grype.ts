import * as z from 'zod';
import { highestScore, levelOfSeverity, type Scan, severityOf } from './finding.ts';
import { isObject } from './json-document.ts';
import { listOf, shaped } from './shape.ts';

const Match = z.object({
  vulnerability: z.object({
    id: z.string(),
    severity: z.string().nullish(),
    description: z.string().nullish(),
    cvss: listOf(z.object({ metrics: z.object({ baseScore: z.unknown() }).partial().nullish() })).nullish(),
    fix: z.object({ versions: listOf(z.string()).nullish() }).nullish(),
  }),
  relatedVulnerabilities: listOf(z.object({ id: z.string() })).nullish(),
  artifact: z.object({ name: z.string(), version: z.string().nullish(), purl: z.string().nullish() }),
});

const Report = z.object({
  matches: listOf(Match),
  descriptor: z.object({ name: z.string(), version: z.string().nullish() }).nullish(),
});

export function isGrype(document: unknown): boolean {
  return isObject(document) && 'matches' in document && ('descriptor' in document || 'source' in document);
}

/** Reads the JSON of Grype. Matches that its own rules ignore are in another list, and do not count. */
export function readGrype(name: string, document: unknown): Scan {
  const { matches, descriptor } = shaped(name, Report, document);
  return {
    tools: [{ name: 'Grype', version: descriptor?.version ?? '' }],
    findings: matches.map(({ vulnerability, relatedVulnerabilities, artifact }) => {
      const location = [artifact.name, artifact.version].filter(Boolean).join('@');
      return {
        id: vulnerability.id,
        level: levelOfSeverity(vulnerability.severity ?? ''),
        message: vulnerability.description ?? '',
        location: location || null,
        severity: severityOf(vulnerability.severity),
        aliases: (relatedVulnerabilities ?? []).map(({ id }) => id),
        score: highestScore((vulnerability.cvss ?? []).map(({ metrics }) => metrics?.baseScore)),
        component: artifact.purl || location,
        fixed: vulnerability.fix?.versions?.[0],
      };
    }),
  };
}
