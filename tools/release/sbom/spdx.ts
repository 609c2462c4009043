import { hash as digestOf } from 'node:crypto';
import { version } from '../../../apps/cli/src/run/version.ts';
import { type Component, type Contents, licenseOfProject, uuidOf } from './components.ts';
import { withoutRoot } from './cyclonedx.ts';
import type { Subject } from './subjects.ts';

const UNKNOWN = 'NOASSERTION';
const DOCUMENT = 'SPDXRef-DOCUMENT';
const ROOT = 'SPDXRef-Root';
const PURPOSE = { application: 'APPLICATION', container: 'CONTAINER', library: 'LIBRARY' } as const;

/** https://spdx.github.io/spdx-spec/v2.3, with the time of the commit instead of the present one. */
export function spdx(subject: Subject, contents: Contents, epoch: number): object {
  const { components, dependencies } = withoutRoot(subject, contents);
  const license = licenseOfProject();
  const root = {
    ...packageOf({ purl: subject.purl, name: subject.name, version, license }),
    SPDXID: ROOT,
    primaryPackagePurpose: PURPOSE[subject.type],
  };
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: DOCUMENT,
    name: `${subject.name}-${version}`,
    creationInfo: {
      created: new Date(epoch * 1000).toISOString().replace('.000Z', 'Z'),
      creators: ['Organization: Waymark', `Tool: waymark-release-${version}`],
    },
    packages: [root, ...components.map(packageOf)],
    relationships: [
      relationship(DOCUMENT, 'DESCRIBES', ROOT),
      ...components.map(({ purl }) => relationship(ROOT, 'CONTAINS', idOf(purl))),
      ...[...dependencies].flatMap(([purl, needs]) =>
        needs.map((needed) => relationship(idOf(purl), 'DEPENDS_ON', idOf(needed))),
      ),
    ],
  };
  const documentNamespace = `https://waymark.example.com/spdx/${subject.id}-${version}-${uuidOf(JSON.stringify(document))}`;
  return { ...document, documentNamespace };
}

function packageOf({ purl, name, version, description, license, distribution, hash, cpe }: Component): object {
  return {
    SPDXID: idOf(purl),
    name,
    versionInfo: version,
    ...(description !== undefined && { description }),
    downloadLocation: distribution ?? UNKNOWN,
    filesAnalyzed: false,
    licenseConcluded: UNKNOWN,
    licenseDeclared: license ?? UNKNOWN,
    copyrightText: UNKNOWN,
    ...(hash && { checksums: [{ algorithm: hash.algorithm.replace('-', ''), checksumValue: hash.hex }] }),
    externalRefs: [
      { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl },
      ...(cpe === undefined
        ? []
        : [{ referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: cpe }]),
    ],
  };
}

function relationship(from: string, relationshipType: string, to: string): object {
  return { spdxElementId: from, relationshipType, relatedSpdxElement: to };
}

/** An id may have letters, digits, dots and dashes only; the digest tells apart what is then the same. */
function idOf(purl: string): string {
  return `SPDXRef-${purl.replace(/^pkg:/, '').replace(/[^0-9A-Za-z.]+/g, '-')}-${digestOf('sha256', purl).slice(0, 8)}`;
}
