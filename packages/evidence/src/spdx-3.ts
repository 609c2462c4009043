import * as z from 'zod';
import { isObject } from './json-document.ts';
import type { Sbom, SbomComponent } from './sbom-fields.ts';
import { MAX_COMPONENTS, Name, Purl, Version } from './sbom-fields.ts';
import { AnyList, listOf, shaped } from './shape.ts';
import { Unreadable } from './unreadable.ts';

const CONTEXT = /^https:\/\/spdx\.org\/rdf\/(3\.\d+(?:\.\d+)?)\//;

const Document = z.object({ '@graph': AnyList });

const Package = z.object({
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

/** Reads the packages in the graph of a document; their relationships do not matter for the list. */
export function readSpdx3(name: string, document: Record<string, unknown>, specVersion: string): Sbom {
  const { '@graph': graph } = shaped(name, Document, document);
  const elements = graph.filter(isObject);
  if (!elements.some(({ type }) => type === 'SpdxDocument')) {
    throw new Unreadable(`${name}: @graph: contains no SpdxDocument.`);
  }
  const packages = [...graph.entries()].filter(([, one]) => isObject(one) && one['type'] === 'software_Package');
  if (packages.length > MAX_COMPONENTS) throw new Unreadable(`${name}: has more than ${MAX_COMPONENTS} packages.`);
  return { format: 'SPDX', specVersion, components: packages.map(([index, one]) => componentOf(name, one, index)) };
}

function componentOf(name: string, value: unknown, index: number): SbomComponent {
  const path = ['@graph', index];
  const found = shaped(name, Package, value, path);
  const listed = found.externalIdentifier?.find((one) => one.externalIdentifierType === 'packageUrl')?.identifier;
  const purl = found.software_packageUrl ?? listed;
  return {
    name: found.name,
    version: found.software_packageVersion ?? '',
    purl: purl === undefined ? null : shaped(name, Purl, purl, [...path, 'externalIdentifier']),
  };
}
