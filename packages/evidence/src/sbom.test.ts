import { describe, expect, it } from 'vitest';
import { givenTgz } from './given/archive.ts';
import { readSbom } from './sbom.ts';
import { Unreadable } from './unreadable.ts';

function read(document: unknown) {
  return readSbom({ name: 'sbom.json', bytes: Buffer.from(JSON.stringify(document)) });
}

const library = { type: 'library', name: 'lodash', version: '4.17.21', purl: 'pkg:npm/lodash@4.17.21' };
const cyclonedx = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [library] };

const spdx = {
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'app',
  dataLicense: 'CC0-1.0',
  documentNamespace: 'https://example.com/app-1',
  creationInfo: { created: '2026-11-15T03:00:00Z', creators: ['Tool: syft-1.0'] },
  packages: [
    {
      SPDXID: 'SPDXRef-1',
      name: 'zlib',
      versionInfo: '1.3',
      downloadLocation: 'NOASSERTION',
      externalRefs: [
        { referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: 'cpe:2.3:a:z:z' },
        { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: 'pkg:golang/a b@v1' },
      ],
    },
    { SPDXID: 'SPDXRef-2', name: 'app' },
  ],
};

describe('an SBOM', () => {
  it.each(['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'])('may be CycloneDX %s', (specVersion) => {
    expect(read({ ...cyclonedx, specVersion })).toEqual({
      format: 'CycloneDX',
      specVersion,
      components: [{ name: 'lodash', version: '4.17.21', purl: 'pkg:npm/lodash@4.17.21' }],
    });
  });

  it('has the components inside of components, in order', () => {
    const nested = { type: 'application', name: 'app', components: [{ ...library, components: [library] }] };
    const { components } = read({ ...cyclonedx, components: [nested, { type: 'file', name: 'last' }] });
    expect(components.map(({ name, version, purl }) => [name, version, purl])).toEqual([
      ['app', '', null],
      ['lodash', '4.17.21', 'pkg:npm/lodash@4.17.21'],
      ['lodash', '4.17.21', 'pkg:npm/lodash@4.17.21'],
      ['last', '', null],
    ]);
  });

  it.each(['2.2', '2.3'])('may be SPDX %s, and keeps a package URL as it was written', (specVersion) => {
    expect(read({ ...spdx, spdxVersion: `SPDX-${specVersion}` })).toEqual({
      format: 'SPDX',
      specVersion,
      components: [
        { name: 'zlib', version: '1.3', purl: 'pkg:golang/a b@v1' },
        { name: 'app', version: '', purl: null },
      ],
    });
  });

  it('may be empty', () => {
    expect(read({ bomFormat: 'CycloneDX', specVersion: '1.5' }).components).toEqual([]);
    expect(read({ ...spdx, packages: undefined }).components).toEqual([]);
  });

  it('has no characters that a database refuses', () => {
    const { components } = read({ ...cyclonedx, components: [{ type: 'file', name: 'a\u0000b', version: '\ud800' }] });
    expect(components).toEqual([{ name: 'a\uFFFDb', version: '\uFFFD', purl: null }]);
  });

  it('may come in an archive, alone', () => {
    const packed = { path: 'out/sbom.json', content: JSON.stringify(cyclonedx) };
    const other = { path: 'package.json', content: '{}' };
    expect(readSbom({ name: 'e.tgz', bytes: givenTgz([packed, other]) }).components).toHaveLength(1);
    expect(() => readSbom({ name: 'e.tgz', bytes: givenTgz([packed, packed]) })).toThrow(
      new Unreadable('e.tgz: holds more than one SBOM; attach one.'),
    );
  });
});

it('counts components inside of others towards the most it may have', () => {
  const files = (count: number) => Array.from({ length: count }, () => ({ type: 'file', name: 'a' }));
  const outer = (count: number) => ({
    ...cyclonedx,
    components: [{ ...library, components: files(60_000) }, ...files(count)],
  });
  expect(read(outer(39_999)).components).toHaveLength(100_000);
  expect(() => read(outer(40_000))).toThrow(new Unreadable('sbom.json: has more than 100000 components.'));
});

describe('an SBOM is refused with the member that is wrong', () => {
  it.each([
    [
      { ...cyclonedx, specVersion: '2.0' },
      'specVersion: Invalid option: expected one of "1.2"|"1.3"|"1.4"|"1.5"|"1.6"|"1.7".',
    ],
    [{ ...cyclonedx, components: {} }, 'components: Invalid input: expected array.'],
    [
      { ...cyclonedx, components: [library, { type: 'library' }] },
      'components[1].name: Invalid input: expected string, received undefined.',
    ],
    [
      { ...cyclonedx, components: [{ ...library, components: [{ type: 'file', name: 1 }] }] },
      'components[0].components[0].name: Invalid input: expected string, received number.',
    ],
    [
      { ...cyclonedx, components: [{ ...library, purl: 'x'.repeat(4097) }] },
      'components[0].purl: Too big: expected string to have <=4096 characters.',
    ],
    [{ ...spdx, spdxVersion: 'SPDX-2.1' }, 'spdxVersion: Invalid option: expected one of "SPDX-2.2"|"SPDX-2.3".'],
    [{ ...spdx, SPDXID: 'x' }, 'SPDXID: Invalid input: expected "SPDXRef-DOCUMENT".'],
    [{ ...spdx, name: undefined }, 'name: Invalid input: expected string, received undefined.'],
    [{ ...spdx, dataLicense: 'MIT' }, 'dataLicense: Invalid input: expected "CC0-1.0".'],
    [{ ...spdx, documentNamespace: '' }, 'documentNamespace: Too small: expected string to have >=1 characters.'],
    [{ ...spdx, creationInfo: {} }, 'creationInfo.created: Invalid input: expected string, received undefined.'],
    [{ ...spdx, packages: [{ name: 'a' }] }, 'packages[0].SPDXID: Invalid input: expected string, received undefined.'],
    [
      { '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld' },
      'looks like SPDX 3 or other JSON-LD; SPDX 2.2 and 2.3 are read.',
    ],
    [{}, 'is neither CycloneDX (no "bomFormat") nor SPDX (no "spdxVersion").'],
    [null, 'is neither CycloneDX (no "bomFormat") nor SPDX (no "spdxVersion").'],
  ])('case %#', (document, message) => {
    expect(() => read(document)).toThrow(new Unreadable(`sbom.json: ${message}`));
  });
});
