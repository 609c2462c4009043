import * as z from 'zod';
import { isObject } from './json-document.ts';
import type { Sbom } from './sbom-fields.ts';
import { licenseOf, MAX_COMPONENTS, Name, Purl, Version, withoutSubjects } from './sbom-fields.ts';
import { AnyList, listOf, shaped } from './shape.ts';
import { Unreadable } from './unreadable.ts';

const DOCUMENT = 'SPDXRef-DOCUMENT';

const ExternalRef = z.object({ referenceType: z.string(), referenceLocator: z.string() });

const Package = z.object({
  SPDXID: z.string().startsWith('SPDXRef-'),
  name: Name,
  versionInfo: Version.optional(),
  externalRefs: listOf(ExternalRef).optional(),
  licenseConcluded: z.unknown().optional(),
  licenseDeclared: z.unknown().optional(),
});

const Document = z.object({
  spdxVersion: z.enum(['SPDX-2.2', 'SPDX-2.3']),
  SPDXID: z.literal(DOCUMENT),
  name: z.string(),
  dataLicense: z.literal('CC0-1.0'),
  documentNamespace: z.string().min(1),
  creationInfo: z.object({ created: z.iso.datetime(), creators: listOf(z.string()) }),
  packages: AnyList.optional(),
  documentDescribes: z.unknown().optional(),
  relationships: z.unknown().optional(),
});

export function readSpdx(name: string, document: unknown): Sbom {
  const { spdxVersion, packages = [], ...rest } = shaped(name, Document, document);
  if (packages.length > MAX_COMPONENTS) throw new Unreadable(`${name}: has more than ${MAX_COMPONENTS} packages.`);
  const all = packages.map((value, index) => {
    const found = shaped(name, Package, value, ['packages', index]);
    const purl = found.externalRefs?.find((ref) => ref.referenceType === 'purl')?.referenceLocator;
    const component = {
      name: found.name,
      version: found.versionInfo ?? '',
      purl: purl === undefined ? null : shaped(name, Purl, purl, ['packages', index, 'externalRefs']),
      ...licenseOf([known(found.licenseConcluded) ?? known(found.licenseDeclared)]),
    };
    return { id: found.SPDXID, component };
  });
  const components = withoutSubjects(all, subjectsOf(rest));
  return { format: 'SPDX', specVersion: spdxVersion.slice('SPDX-'.length), components };
}

/** The ids of what the document as a whole is about. */
function subjectsOf({ documentDescribes, relationships }: { documentDescribes?: unknown; relationships?: unknown }) {
  const described = [relationships].flat().flatMap((one) => {
    if (!isObject(one)) return [];
    const { spdxElementId: from, relationshipType: type, relatedSpdxElement: to } = one;
    if (type === 'DESCRIBES' && from === DOCUMENT) return [to];
    return type === 'DESCRIBED_BY' && to === DOCUMENT ? [from] : [];
  });
  return new Set([documentDescribes, described].flat(2));
}

function known(license: unknown): string | undefined {
  return typeof license === 'string' && license !== 'NOASSERTION' && license !== 'NONE' ? license : undefined;
}
