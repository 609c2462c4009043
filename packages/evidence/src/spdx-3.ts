import * as z from 'zod';
import { isObject } from './json-document.ts';
import type { Sbom, SbomComponent } from './sbom-fields.ts';
import { licenseOf, MAX_COMPONENTS, Name, Purl, Version, withoutSubjects } from './sbom-fields.ts';
import { AnyList, listOf, shaped } from './shape.ts';
import { Unreadable } from './unreadable.ts';

const CONTEXT = /^https:\/\/spdx\.org\/rdf\/(3\.\d+(?:\.\d+)?)\//;

const Document = z.object({ '@graph': AnyList });

/** Licenses of the SPDX list need no element of their own. */
const LISTED = /^https?:\/\/spdx\.org\/licenses\/([A-Za-z0-9.+-]+)$/;

const Package = z.object({
  spdxId: z.string().optional(),
  name: Name,
  software_packageVersion: Version.optional(),
  software_packageUrl: Purl.optional(),
  externalIdentifier: listOf(z.object({ externalIdentifierType: z.string(), identifier: z.string() })).optional(),
});

/** Returns which version of SPDX 3 the document says it is, or undefined. */
export function spdx3Version(document: Record<string, unknown>): string | undefined {
  return [document['@context']]
    .flat()
    .flatMap((one) => (typeof one === 'string' ? (CONTEXT.exec(one)?.[1] ?? []) : []))[0];
}

/** Reads the packages in the graph of a document, and which licenses its relationships give them. */
export function readSpdx3(name: string, document: Record<string, unknown>, specVersion: string): Sbom {
  const { '@graph': graph } = shaped(name, Document, document);
  const elements = graph.filter(isObject);
  if (!elements.some(({ type }) => type === 'SpdxDocument')) {
    throw new Unreadable(`${name}: @graph: contains no SpdxDocument.`);
  }
  const packages = [...graph.entries()].filter(([, one]) => isObject(one) && one['type'] === 'software_Package');
  if (packages.length > MAX_COMPONENTS) throw new Unreadable(`${name}: has more than ${MAX_COMPONENTS} packages.`);
  const licenses = licensesById(elements);
  const all = packages.map(([index, one]) => {
    const { id, component } = componentOf(name, one, index);
    return { id, component: { ...component, ...licenses(id) } };
  });
  return { format: 'SPDX', specVersion, components: withoutSubjects(all, subjectsOf(elements)) };
}

function componentOf(name: string, value: unknown, index: number): { id: string; component: SbomComponent } {
  const path = ['@graph', index];
  const found = shaped(name, Package, value, path);
  const listed = found.externalIdentifier?.find((one) => one.externalIdentifierType === 'packageUrl')?.identifier;
  const purl = found.software_packageUrl ?? listed;
  const component = {
    name: found.name,
    version: found.software_packageVersion ?? '',
    purl: purl === undefined ? null : shaped(name, Purl, purl, [...path, 'externalIdentifier']),
  };
  return { id: found.spdxId ?? '', component };
}

/** The ids of what the document, and a list in it, are about. */
function subjectsOf(elements: readonly Record<string, unknown>[]): ReadonlySet<unknown> {
  const roots = elements.flatMap(({ type, rootElement }) =>
    type === 'SpdxDocument' || type === 'software_Sbom' ? rootElement : [],
  );
  return new Set(roots.filter((id) => id !== undefined));
}

const LICENSES_MAX = 50;
/** What someone concluded is nearer to the truth than what the authors declare. */
const LICENSES_GIVEN_BY = ['hasConcludedLicense', 'hasDeclaredLicense'];

function licensesById(elements: readonly Record<string, unknown>[]): (id: string) => { license?: string } {
  const expressions = new Map<unknown, unknown>();
  const given = LICENSES_GIVEN_BY.map(() => new Map<unknown, unknown[]>());
  for (const { spdxId, type, from, to, relationshipType, ...element } of elements) {
    if (type === 'simplelicensing_LicenseExpression')
      expressions.set(spdxId, element['simplelicensing_licenseExpression']);
    const kind = type === 'Relationship' ? LICENSES_GIVEN_BY.indexOf(String(relationshipType)) : -1;
    const known = given[kind]?.get(from) ?? [];
    if (kind >= 0 && known.length < LICENSES_MAX)
      given[kind]?.set(from, [...known, ...[to].flat()].slice(0, LICENSES_MAX));
  }
  const named = (id: unknown) => expressions.get(id) ?? LISTED.exec(String(id))?.[1];
  return (id) => {
    for (const targets of given) {
      const found =
        targets
          .get(id)
          ?.map(named)
          .filter((one) => typeof one === 'string') ?? [];
      if (found.length > 0) return licenseOf(found);
    }
    return {};
  };
}
