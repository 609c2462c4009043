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

describe('licenses of a component', () => {
  const licenseIn = (licenses: unknown) =>
    read({ ...cyclonedx, components: [{ ...library, licenses }] }).components[0]?.license;

  it.each<[unknown, string | undefined]>([
    [[{ license: { id: 'MIT' } }], 'MIT'],
    [[{ license: { name: 'Our license' } }], 'Our license'],
    [[{ expression: 'MIT OR Apache-2.0' }], 'MIT OR Apache-2.0'],
    [[{ license: { id: 'MIT' } }, { license: { id: 'ISC' } }, { license: { id: 'MIT' } }], 'MIT AND ISC'],
    [[{ expression: 'MIT OR ISC' }, { license: { id: 'Zlib' } }], '(MIT OR ISC) AND Zlib'],
    [[], undefined],
    [undefined, undefined],
    ['MIT', undefined],
    [[null, 1, {}, { license: 1 }, { license: {} }, { expression: ' ' }], undefined],
  ])('of CycloneDX are %o', (licenses, license) => {
    expect(licenseIn(licenses)).toBe(license);
  });

  it.each([
    ['<licenses><license><id>MIT</id></license></licenses>', 'MIT'],
    [
      '<licenses><license><name>Ours</name><text>x</text></license><license><id>ISC</id></license></licenses>',
      'Ours AND ISC',
    ],
    ['<licenses><expression>MIT OR ISC</expression></licenses>', 'MIT OR ISC'],
    [`<licenses><expression>${'x'.repeat(9_000)}</expression></licenses>`, `${'x'.repeat(499)}…`],
    ['<licenses/>', undefined],
    ['<supplier><name>MIT</name></supplier>', undefined],
  ])('of CycloneDX as XML are read: %s', (licenses, license) => {
    const text = `<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components><component type="library"><name>a</name>${licenses}</component></components></bom>`;
    const [component] = readSbom({ name: 'bom.xml', bytes: Buffer.from(text) }).components;
    expect(component).toEqual({ name: 'a', version: '', purl: null, ...(license && { license }) });
  });

  it.each([
    [{ licenseConcluded: 'MIT', licenseDeclared: 'ISC' }, 'MIT'],
    [{ licenseConcluded: 'NOASSERTION', licenseDeclared: 'ISC' }, 'ISC'],
    [{ licenseConcluded: 'NONE' }, undefined],
    [{ licenseDeclared: 1 }, undefined],
  ])('of SPDX are the concluded, else the declared one: %o', (licenses, license) => {
    const packages = [{ SPDXID: 'SPDXRef-1', name: 'a', ...licenses }];
    expect(read({ ...spdx, packages }).components[0]?.license).toBe(license);
  });
});

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

  it.each(['2.2', '2.3'])('may be SPDX %s, and stores a package URL unchanged', (specVersion) => {
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
      new Unreadable('e.tgz: contains more than one SBOM; attach only one.'),
    );
  });
});

it('counts nested components towards the limit', () => {
  const files = (count: number) => Array.from({ length: count }, () => ({ type: 'file', name: 'a' }));
  const outer = (count: number) => ({
    ...cyclonedx,
    components: [{ ...library, components: files(60_000) }, ...files(count)],
  });
  expect(read(outer(39_999)).components).toHaveLength(100_000);
  expect(() => read(outer(40_000))).toThrow(new Unreadable('sbom.json: has more than 100000 components.'));
});

describe('an SBOM is refused with the invalid member', () => {
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
      { '@context': 'https://openvex.dev/ns/v0.2.0', '@id': 'https://example.com/vex', statements: [] },
      'is OpenVEX, not an SBOM. It says which findings of a scan do not apply. Send it as type vex: waymark attest vex FILE',
    ],
    [
      { '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld', '@graph': [] },
      '@graph: contains no SpdxDocument.',
    ],
    [
      { SchemaVersion: 2, ArtifactName: 'shop:1' },
      'is a scan result, not an SBOM. Send it as type snyk: waymark attest snyk FILE',
    ],
    [{}, 'is neither CycloneDX (no "bomFormat") nor SPDX (no "spdxVersion").'],
    [null, 'is neither CycloneDX (no "bomFormat") nor SPDX (no "spdxVersion").'],
  ])('case %#', (document, message) => {
    expect(() => read(document)).toThrow(new Unreadable(`sbom.json: ${message}`));
  });
});

describe('CycloneDX as XML', () => {
  const bom = (inside: string, version = '1.6') =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<bom xmlns="http://cyclonedx.org/schema/bom/${version}" version="1">${inside}</bom>`;
  const readXml = (text: string) => readSbom({ name: 'bom.xml', bytes: Buffer.from(text) });

  it('lists the same as the JSON form: components, nested ones, and no ancestors', () => {
    const text = bom(`
      <metadata><component type="application"><name>shop</name></component></metadata>
      <components>
        <component type="library" bom-ref="a">
          <supplier><name>Acme</name></supplier>
          <name>left&amp;pad</name><version>1.3.0</version><purl><![CDATA[pkg:npm/left-pad@1.3.0]]></purl>
          <pedigree><ancestors><component type="library"><name>old</name></component></ancestors></pedigree>
          <components><component type="file"><name>index.js</name></component></components>
        </component>
      </components>`);
    expect(readXml(text)).toEqual({
      format: 'CycloneDX',
      specVersion: '1.6',
      components: [
        { name: 'left&pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' },
        { name: 'index.js', version: '', purl: null },
      ],
    });
  });

  it('may have a prefix, and no component', () => {
    const text =
      '<c:bom xmlns:c="http://cyclonedx.org/schema/bom/1.4"><c:components><c:component type="file"><c:name>a</c:name></c:component></c:components></c:bom>';
    expect(readXml(text)).toMatchObject({ specVersion: '1.4', components: [{ name: 'a' }] });
    expect(readXml(bom(''))).toMatchObject({ components: [] });
  });

  it.each([
    ['<project/>', 'the root is <project>, which is not a supported SBOM format.'],
    ['<bom/>', 'the root is <bom>, which is not a supported SBOM format.'],
    [bom('', '2.0'), 'CycloneDX "2.0" is not read; 1.2, 1.3, 1.4, 1.5, 1.6, 1.7 are.'],
    [bom('<components><component type="file"></component></components>'), 'components[0].name: '],
    [bom('<components>'), 'unexpected close tag'],
    [`<!DOCTYPE bom [<!ENTITY a "a">]>${bom('')}`.replace(/<\?xml[^>]*>\n/, ''), 'a DOCTYPE is not accepted.'],
    [bom('<components><component><name>&a;</name></component></components>'), 'undefined entity'],
  ])('is refused as %j', (text, message) => {
    expect(() => readXml(text)).toThrow(Unreadable);
    expect(() => readXml(text)).toThrow(message);
  });
});

describe('SPDX 3', () => {
  const graph = (...elements: object[]) => ({
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': [{ type: 'SpdxDocument', spdxId: 'https://example.com/doc' }, ...elements],
  });
  const readGraph = (document: object) => readSbom({ name: 'bom.json', bytes: Buffer.from(JSON.stringify(document)) });

  it('lists the packages in the graph', () => {
    const document = graph(
      { type: 'CreationInfo', '@id': '_:c', specVersion: '3.0.1' },
      { type: 'software_Package', name: 'a', software_packageVersion: '1', software_packageUrl: 'pkg:npm/a@1' },
      {
        type: 'software_Package',
        name: 'b',
        externalIdentifier: [{ externalIdentifierType: 'packageUrl', identifier: 'pkg:npm/b@2' }],
      },
      { type: 'software_File', name: 'c' },
    );
    expect(readGraph(document)).toEqual({
      format: 'SPDX',
      specVersion: '3.0.1',
      components: [
        { name: 'a', version: '1', purl: 'pkg:npm/a@1' },
        { name: 'b', version: '', purl: 'pkg:npm/b@2' },
      ],
    });
  });

  it('leaves out the product that it is about', () => {
    const [root, part] = ['root', 'part'].map((name) => ({ type: 'software_Package', spdxId: name, name }));
    const about = (...rootElement: string[]) => ({ type: 'software_Sbom', rootElement });
    const namesIn = (...elements: object[]) => readGraph(graph(...elements)).components.map(({ name }) => name);
    expect(namesIn(root ?? {}, part ?? {}, about('root'))).toEqual(['part']);
    expect(namesIn(root ?? {}, part ?? {}, about('root', 'part'))).toEqual(['root', 'part']);
    expect(namesIn(root ?? {}, part ?? {}, about())).toEqual(['root', 'part']);
  });

  it.each([
    [
      'concluded before declared',
      [
        ['hasDeclaredLicense', 'x'],
        ['hasConcludedLicense', 'y'],
      ],
      'MIT',
    ],
    ['declared', [['hasDeclaredLicense', 'x']], 'GPL-2.0-only OR MIT'],
    ['of the SPDX list', [['hasDeclaredLicense', 'https://spdx.org/licenses/Apache-2.0']], 'Apache-2.0'],
    [
      'several',
      [
        ['hasDeclaredLicense', 'x'],
        ['hasDeclaredLicense', 'y'],
      ],
      '(GPL-2.0-only OR MIT) AND MIT',
    ],
    ['unknown', [['hasDeclaredLicense', 'z']], undefined],
    ['no license', [['contains', 'x']], undefined],
  ])('takes licenses from relationships: %s', (_, relationships, license) => {
    const expression = (spdxId: string, text: unknown) => ({
      ...{ type: 'simplelicensing_LicenseExpression', spdxId, simplelicensing_licenseExpression: text },
    });
    const elements = relationships.map(([relationshipType, to]) => {
      return { type: 'Relationship', from: 'a', relationshipType, to: [to] };
    });
    const a = { type: 'software_Package', spdxId: 'a', name: 'a' };
    const all = graph(
      a,
      expression('x', 'GPL-2.0-only OR MIT'),
      expression('y', 'MIT'),
      expression('z', 1),
      ...elements,
    );
    expect(readGraph(all).components[0]?.license).toBe(license);
  });

  it('is refused with the position of an invalid package', () => {
    expect(() => readGraph(graph({ type: 'software_Package' }))).toThrow('bom.json: @graph[1].name: ');
  });
});

it('lists what a scanner wrote beside the components, and nothing of an empty list', () => {
  const bom = {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6' },
    components: [
      { type: 'library', 'bom-ref': 'a', name: 'lodash', version: '4.17.20', purl: 'pkg:npm/lodash@4.17.20' },
    ],
  };
  const vulnerability = { id: 'CVE-1', ratings: [{ severity: 'high', score: 7.5 }], affects: [{ ref: 'a' }] };
  expect(read({ ...bom, vulnerabilities: [vulnerability] }).findings).toEqual({
    findings: [{ id: 'CVE-1', severity: 'high', score: 7.5, component: 'pkg:npm/lodash@4.17.20' }],
    others: {},
  });
  expect(read({ ...bom, vulnerabilities: [] })).not.toHaveProperty('findings');
  expect(read(bom)).not.toHaveProperty('findings');
  expect(() => read({ ...bom, vulnerabilities: [{}] })).toThrow('sbom.json: vulnerabilities[0].id: ');
});
