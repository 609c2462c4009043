import { version } from '../../../apps/cli/src/run/version.ts';
import { type Component, type Contents, licenseOfProject, uuidOf } from './components.ts';
import type { Subject } from './subjects.ts';

/** https://cyclonedx.org/docs/1.6/json, with the time of the commit instead of the present one. */
export function cycloneDx(subject: Subject, contents: Contents, epoch: number): object {
  const { components, dependencies } = withoutRoot(subject, contents);
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: {
        type: subject.type,
        'bom-ref': subject.purl,
        name: subject.name,
        version,
        purl: subject.purl,
        licenses: [{ license: { id: licenseOfProject() } }],
      },
    },
    components: components.map(toComponent),
    dependencies: [
      { ref: subject.purl, dependsOn: components.map(({ purl }) => purl) },
      ...[...dependencies].map(([ref, dependsOn]) => ({ ref, dependsOn })),
    ],
  };
  return { ...document, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(document))}` };
}

function toComponent({ purl, name, version, description, license, distribution, hash, cpe }: Component): object {
  const isExpression = license !== undefined && /[ (]/.test(license);
  const hashes = hash && [{ alg: hash.algorithm, content: hash.hex }];
  return {
    type: purl.startsWith('pkg:generic/node@') ? 'platform' : 'library',
    'bom-ref': purl,
    name,
    version,
    ...(description !== undefined && { description }),
    ...(license !== undefined && {
      licenses: [isExpression ? { expression: license } : { license: { id: license } }],
    }),
    ...(cpe !== undefined && { cpe }),
    purl,
    ...(distribution !== undefined && {
      externalReferences: [{ type: 'distribution', url: distribution, ...(hashes && { hashes }) }],
    }),
  };
}

/** A package that is the subject itself is not a part of it. */
export function withoutRoot({ purl }: Subject, { components, dependencies }: Contents): Contents {
  return {
    components: components.filter((component) => component.purl !== purl),
    dependencies: new Map([...dependencies].filter(([ref]) => ref !== purl)),
  };
}
