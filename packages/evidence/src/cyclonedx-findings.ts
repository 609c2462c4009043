import * as z from 'zod';
import { highestScore, levelOfSeverity, type Scan, type ScannedFinding, SEVERITIES, severityOf } from './finding.ts';
import { isObject } from './json-document.ts';
import { AnyList, listOf, shaped } from './shape.ts';

const Rating = z.object({ severity: z.string().nullish(), score: z.unknown() }).partial();

const Vulnerability = z.object({
  id: z.string(),
  description: z.string().nullish(),
  references: listOf(z.object({ id: z.string() }).partial()).nullish(),
  ratings: listOf(Rating).nullish(),
  affects: listOf(z.object({ ref: z.string() })).nullish(),
});
type Vulnerability = z.infer<typeof Vulnerability>;

const Component = z.object({
  'bom-ref': z.string().nullish(),
  name: z.string().nullish(),
  version: z.string().nullish(),
  purl: z.string().nullish(),
  components: AnyList.nullish(),
});

const Bom = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.unknown() }).partial().nullish(),
  components: AnyList.nullish(),
  vulnerabilities: listOf(Vulnerability),
});

/** An empty list proves nothing: tools that only list components write it as well. */
export function hasCycloneDxFindings(document: unknown): boolean {
  if (!isObject(document) || document['bomFormat'] !== 'CycloneDX') return false;
  const { vulnerabilities } = document;
  return Array.isArray(vulnerabilities) && vulnerabilities.length > 0;
}

/** Reads the vulnerabilities of a CycloneDX document: one finding for each component that one affects. */
export function readCycloneDxFindings(name: string, document: unknown): Scan {
  const bom = shaped(name, Bom, document);
  const components = new Map<string, string>();
  collect(name, [bom.metadata?.component, ...(bom.components ?? [])].filter(isObject), components);
  const findings = bom.vulnerabilities.flatMap((one) => {
    const affected = (one.affects ?? []).map(({ ref }) => components.get(ref) ?? ref);
    return affected.length === 0 ? [findingOf(one, undefined)] : affected.map((component) => findingOf(one, component));
  });
  return { tools: [{ name: 'CycloneDX', version: '' }], findings };
}

function collect(name: string, values: readonly unknown[], found: Map<string, string>): void {
  for (const value of values) {
    const component = shaped(name, Component, value, ['components']);
    const named = [component.name, component.version].filter(Boolean).join('@');
    const ref = component['bom-ref'];
    if (ref) found.set(ref, component.purl || named);
    collect(name, component.components ?? [], found);
  }
}

function findingOf({ id, description, references, ratings }: Vulnerability, component: string | undefined) {
  const severities = (ratings ?? []).map(({ severity }) => severityOf(severity));
  const severity = SEVERITIES.find((one) => severities.includes(one)) ?? 'unknown';
  const finding: ScannedFinding = {
    id,
    level: levelOfSeverity(severity),
    message: description ?? '',
    location: component ?? null,
    severity,
    aliases: (references ?? []).flatMap((reference) => reference.id ?? []),
    score: highestScore((ratings ?? []).map(({ score }) => score)),
    component,
  };
  return finding;
}
