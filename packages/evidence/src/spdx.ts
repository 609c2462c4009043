import * as z from 'zod';
import type { Sbom } from './sbom-fields.ts';
import { MAX_COMPONENTS, Name, Purl, Version } from './sbom-fields.ts';
import { AnyList, listOf, shaped } from './shape.ts';
import { Unreadable } from './unreadable.ts';

const ExternalRef = z.object({ referenceType: z.string(), referenceLocator: z.string() });

const Package = z.object({
  SPDXID: z.string().startsWith('SPDXRef-'),
  name: Name,
  versionInfo: Version.optional(),
  externalRefs: listOf(ExternalRef).optional(),
});

const Document = z.object({
  spdxVersion: z.enum(['SPDX-2.2', 'SPDX-2.3']),
  SPDXID: z.literal('SPDXRef-DOCUMENT'),
  name: z.string(),
  dataLicense: z.literal('CC0-1.0'),
  documentNamespace: z.string().min(1),
  creationInfo: z.object({ created: z.iso.datetime(), creators: listOf(z.string()) }),
  packages: AnyList.optional(),
});

export function readSpdx(name: string, document: unknown): Sbom {
  const { spdxVersion, packages = [] } = shaped(name, Document, document);
  if (packages.length > MAX_COMPONENTS) throw new Unreadable(`${name}: has more than ${MAX_COMPONENTS} packages.`);
  const components = packages.map((value, index) => {
    const found = shaped(name, Package, value, ['packages', index]);
    const purl = found.externalRefs?.find((ref) => ref.referenceType === 'purl')?.referenceLocator;
    return {
      name: found.name,
      version: found.versionInfo ?? '',
      purl: purl === undefined ? null : shaped(name, Purl, purl, ['packages', index, 'externalRefs']),
    };
  });
  return { format: 'SPDX', specVersion: spdxVersion.slice('SPDX-'.length), components };
}
