import * as z from 'zod';
import { isObject } from './json-document.ts';
import { AnyList, listOf, shaped } from './shape.ts';
import { secondsOf, type VexClaim, type VexDocument, type VexProduct, type VexStatus } from './vex-statement.ts';

const STATUS_OF: Readonly<Record<string, VexStatus>> = {
  not_affected: 'not_affected',
  false_positive: 'not_affected',
  exploitable: 'affected',
  in_triage: 'under_investigation',
  resolved: 'fixed',
  resolved_with_pedigree: 'fixed',
};

const Analysis = z.object({
  state: z.string().nullish(),
  justification: z.string().nullish(),
  detail: z.string().nullish(),
  firstIssued: z.string().nullish(),
  lastUpdated: z.string().nullish(),
});

const Vulnerability = z.object({
  id: z.string(),
  references: listOf(z.object({ id: z.string() }).partial()).nullish(),
  affects: listOf(z.object({ ref: z.string() })).nullish(),
  analysis: Analysis.nullish(),
  updated: z.string().nullish(),
});

const Component = z.object({
  'bom-ref': z.string().nullish(),
  name: z.string().nullish(),
  version: z.string().nullish(),
  purl: z.string().nullish(),
  components: AnyList.nullish(),
});

const Metadata = z.object({
  component: z.unknown(),
  authors: z.unknown(),
  supplier: z.unknown(),
  timestamp: z.string().nullish(),
});

const Bom = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: Metadata.partial().nullish(),
  components: AnyList.nullish(),
  vulnerabilities: listOf(Vulnerability),
});

export function isCycloneDxVex(document: unknown): boolean {
  if (!isObject(document) || document['bomFormat'] !== 'CycloneDX') return false;
  const { vulnerabilities: list } = document;
  return (
    Array.isArray(list) && list.some((one) => isObject(one) && isObject(one['analysis']) && 'state' in one['analysis'])
  );
}

/** Reads the vulnerabilities that someone analyzed; the others only say that a scanner found them. */
export function readCycloneDxVex(name: string, document: unknown): VexDocument {
  const { metadata, components, vulnerabilities } = shaped(name, Bom, document);
  const known = new Map<string, VexProduct>();
  collect(name, components ?? [], known);
  if (isObject(metadata?.component)) collect(name, [metadata.component], known, true);
  const claims = vulnerabilities.flatMap((one): VexClaim[] => {
    const status = STATUS_OF[one.analysis?.state ?? ''];
    if (status === undefined) return [];
    const { justification, detail, lastUpdated, firstIssued, state } = one.analysis ?? {};
    return [
      {
        names: [one.id, ...(one.references ?? []).flatMap((reference) => reference.id ?? [])],
        products: (one.affects ?? []).map(({ ref }) => known.get(ref) ?? { ids: [refersTo(ref)], parts: [] }),
        status,
        justification: justification || detail || (state === 'false_positive' ? state : undefined),
        at: secondsOf(lastUpdated, firstIssued, one.updated, metadata?.timestamp),
      },
    ];
  });
  return { format: 'CycloneDX', author: nameOf(metadata?.supplier) || nameOf(metadata?.authors), claims };
}

/** In a document of its own, a link to another: `urn:cdx:serial/version#bom-ref`. */
function refersTo(ref: string): string {
  const own = ref.slice(ref.lastIndexOf('#') + 1);
  try {
    return decodeURIComponent(own);
  } catch {
    return own;
  }
}

function collect(name: string, values: readonly unknown[], found: Map<string, VexProduct>, isSubject = false): void {
  for (const value of values) {
    const component = shaped(name, Component, value, ['components']);
    const ref = component['bom-ref'];
    const named = [component.name, component.version].filter(Boolean).join('@');
    const ids = [component.purl, component.purl && !isSubject ? null : named].filter((id) => typeof id === 'string');
    if (ref) found.set(ref, { ids, parts: [], ...(isSubject && { isSubject }) });
    collect(name, component.components ?? [], found);
  }
}

function nameOf(value: unknown): string {
  const [first] = [value].flat();
  return isObject(first) && typeof first['name'] === 'string' ? first['name'] : '';
}
