import * as z from 'zod';
import { isObject } from './json-document.ts';
import type { Sbom, SbomComponent } from './sbom-fields.ts';
import { CYCLONEDX_VERSIONS, licenseOf, MAX_COMPONENTS, Name, Purl, Version } from './sbom-fields.ts';
import { AnyList, shaped } from './shape.ts';
import { Unreadable } from './unreadable.ts';

const LICENSES_MAX = 50;

const Component = z.object({
  type: z.enum([
    'application',
    'framework',
    'library',
    'container',
    'platform',
    'operating-system',
    'device',
    'device-driver',
    'firmware',
    'file',
    'machine-learning-model',
    'data',
    'cryptographic-asset',
  ]),
  name: Name,
  version: Version.optional(),
  purl: Purl.optional(),
  components: AnyList.optional(),
  licenses: z.unknown().optional(),
});

/**
 * Only the fields in use. The published schema requires unique lists, which a validator compares pair by pair: 8,000
 * components took 26 s (ajv 8.20, 2026-11).
 */
const Bom = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.enum(CYCLONEDX_VERSIONS),
  version: z.int().optional(),
  components: AnyList.optional(),
});

export function readCycloneDx(name: string, document: unknown): Sbom {
  const bom = shaped(name, Bom, document);
  const found: SbomComponent[] = [];
  collect(name, bom.components ?? [], ['components'], found);
  return { format: 'CycloneDX', specVersion: bom.specVersion, components: found };
}

/** Components may hold others; how deep is bounded by the depth of the document. */
function collect(name: string, components: readonly unknown[], path: PropertyKey[], found: SbomComponent[]): void {
  refuseMoreThanAllowed(name, found.length + components.length);
  for (const [index, value] of components.entries()) {
    const here = [...path, index];
    const component = shaped(name, Component, value, here);
    found.push({
      name: component.name,
      version: component.version ?? '',
      purl: component.purl ?? null,
      ...licenseOf(licensesIn(component.licenses)),
    });
    refuseMoreThanAllowed(name, found.length);
    collect(name, component.components ?? [], [...here, 'components'], found);
  }
}

/** What is not as expected is left out: a license does not decide whether an SBOM can be read. */
function licensesIn(licenses: unknown): (string | undefined)[] {
  if (!Array.isArray(licenses)) return [];
  return licenses.slice(0, LICENSES_MAX).map((one: unknown) => {
    if (!isObject(one)) return undefined;
    const { license } = one;
    const stated = one['expression'] ?? (isObject(license) ? (license['id'] ?? license['name']) : undefined);
    return typeof stated === 'string' ? stated : undefined;
  });
}

function refuseMoreThanAllowed(name: string, count: number): void {
  if (count > MAX_COMPONENTS) throw new Unreadable(`${name}: has more than ${MAX_COMPONENTS} components.`);
}
