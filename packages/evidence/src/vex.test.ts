import { describe, expect, it } from 'vitest';
import { Unreadable } from './unreadable.ts';
import { readVex } from './vex.ts';
import type { VexSubject } from './vex-products.ts';

const DIGEST = 'ab'.repeat(32);
const SUBJECT = {
  fingerprint: DIGEST,
  names: ['web', 'registry.example.com/acme/web:7', 'registry.example.com/acme/web'],
};

function read(document: unknown, subject: VexSubject = SUBJECT) {
  return readVex({ name: 'vex.json', bytes: Buffer.from(JSON.stringify(document)) }, subject);
}

const STATED_AT = Date.UTC(2026, 10, 1, 8) / 1000;
const PURL = 'pkg:npm/lodash@4.17.20';

describe('OpenVEX', () => {
  const openVex = (...statements: object[]) => ({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://example.com/vex-1',
    author: 'Security team',
    timestamp: '2026-11-01T08:00:00Z',
    version: 1,
    statements,
  });
  const vulnerability = { name: 'CVE-1', aliases: ['GHSA-1'] };

  it('is about subcomponents where there are any, else about products', () => {
    const image = { '@id': `pkg:oci/web@sha256%3A${DIGEST}`, identifiers: { purl: 'pkg:oci/web' } };
    expect(
      read(
        openVex(
          {
            vulnerability,
            products: [{ ...image, subcomponents: [{ '@id': PURL }] }],
            status: 'not_affected',
            justification: 'vulnerable_code_not_in_execute_path',
            timestamp: '2026-10-01T00:00:00Z',
          },
          { vulnerability, products: [image], status: 'under_investigation', last_updated: '2026-12-01T00:00:00Z' },
          { vulnerability: { '@id': 'https://nvd.nist.gov/vuln/detail/CVE-2' }, products: [PURL], status: 'fixed' },
          { vulnerability: 'CVE-3', status: 'affected' },
          { vulnerability, status: 'not_affected', impact_statement: 'The code is not called.' },
          { vulnerability, status: 'fixed', products: [`pkg:oci/web@sha256:${'cd'.repeat(32)}`] },
        ),
      ),
    ).toEqual({
      format: 'OpenVEX',
      author: 'Security team',
      statements: [
        {
          names: ['CVE-1', 'GHSA-1'],
          status: 'not_affected',
          components: [PURL],
          justification: 'vulnerable_code_not_in_execute_path',
          at: Date.UTC(2026, 9, 1) / 1000,
        },
        { names: ['CVE-1', 'GHSA-1'], status: 'under_investigation', at: Date.UTC(2026, 11, 1) / 1000 },
        { names: ['CVE-2'], status: 'fixed', components: [PURL], at: STATED_AT },
        { names: ['CVE-3'], status: 'affected', at: STATED_AT },
        { names: ['CVE-1', 'GHSA-1'], status: 'not_affected', justification: 'The code is not called.', at: STATED_AT },
      ],
      others: 1,
    });
  });

  it.each([
    ['no statement', openVex(), 'has no statement, so it says nothing.'],
    ['another status', openVex({ vulnerability, status: 'fine' }), 'statements[0].status: '],
    ['no vulnerability', openVex({ status: 'fixed' }), 'statements[0].vulnerability: '],
    [
      'too many statements',
      openVex(...Array.from({ length: 10_001 }, () => ({ vulnerability, status: 'fixed' }))),
      'more than 10000',
    ],
  ])('is refused with %s', (_, document, text) => {
    expect(() => read(document)).toThrow(Unreadable);
    expect(() => read(document)).toThrow(text);
  });

  const about = (...products: object[] | string[]) => openVex({ vulnerability, status: 'fixed', products });
  const whole = [{ names: ['CVE-1', 'GHSA-1'], status: 'fixed', at: STATED_AT }];
  const OTHER = 'cd'.repeat(32);

  it.each<[string, string | object]>([
    ['by its digest in a package URL', `pkg:oci/any@sha256:${DIGEST}`],
    ['by its digest in an escaped package URL', `pkg:oci/any@sha256%3A${DIGEST}?repository_url=example.com`],
    ['by its digest after a name', `registry.example.com/any@sha256:${DIGEST}`],
    ['by its digest', `sha256:${DIGEST}`],
    ['by its digest in capitals', `sha256:${DIGEST.toUpperCase()}`],
    ['by its digest alone', DIGEST],
    ['by a hash', { '@id': 'x', hashes: { 'sha-256': DIGEST } }],
    ['by one of two digests', { '@id': `pkg:oci/web@sha256:${OTHER}`, hashes: { 'sha-256': DIGEST } }],
    ['by its name', 'web'],
    ['by its name as reported', 'registry.example.com/acme/web'],
    ['by a package URL of its name', 'pkg:oci/web'],
    ['by a package URL with a place', 'pkg:oci/web?repository_url=registry.example.com/acme'],
    ['by a package URL of Docker', 'pkg:docker/acme/web'],
    ['by a package URL with the tag', 'pkg:docker/acme/web@7'],
  ])('a product is the artifact: %s', (_, product) => {
    expect(read(about(product as object)).statements).toEqual(whole);
  });

  it.each<[string, string | object]>([
    ['another digest', `pkg:oci/web@sha256:${OTHER}`],
    ['another digest of the same name', `web@sha256:${OTHER}`],
    ['another hash', { '@id': 'web', hashes: { 'sha-256': OTHER } }],
    ['another image', 'pkg:oci/shop'],
    ['another tag', 'pkg:docker/acme/web@8'],
    ['components in another image', { '@id': `pkg:oci/web@sha256:${OTHER}`, subcomponents: [{ '@id': PURL }] }],
    ['components in an image of another name', { '@id': 'pkg:oci/shop', subcomponents: [PURL] }],
  ])('a product is another artifact: %s', (_, product) => {
    expect(read(about(product as object))).toMatchObject({ statements: [], others: 1 });
  });

  it.each<[string, object[] | string[], string[]]>([
    ['components in what is not an image', [{ '@id': 'pkg:github/acme/web', subcomponents: [PURL] }], [PURL]],
    [
      'components in the artifact, and in another',
      [
        { '@id': `pkg:oci/web@sha256:${OTHER}`, subcomponents: ['pkg:npm/other'] },
        { '@id': 'pkg:oci/web', subcomponents: [PURL] },
      ],
      [PURL],
    ],
    ['a component by two names', [{ '@id': PURL, identifiers: { purl: 'pkg:npm/lodash' } }], ['pkg:npm/lodash', PURL]],
  ])('a product is a component: %s', (_, products, components) => {
    expect(read(about(...products)).statements).toEqual([{ ...whole[0], components }]);
  });

  it('on a trail, nothing is about a digest', () => {
    const onTrail = { fingerprint: null, names: [] };
    expect(read(about(`pkg:oci/web@sha256:${DIGEST}`), onTrail).statements).toEqual([]);
    expect(read(about(PURL), onTrail).statements).toHaveLength(1);
  });

  it('is bounded', () => {
    const aliases = Array.from({ length: 100 }, (_, i) => `${i}${'x'.repeat(999)}`);
    const [one] = read(
      openVex({ vulnerability: { name: 'CVE-1', aliases }, products: aliases, status: 'fixed' }),
    ).statements;
    expect(one?.names).toHaveLength(20);
    expect(one?.names.every((name) => name.length <= 200)).toBe(true);
    // A name that is cut would be another name.
    expect(one?.components).toEqual([]);
    const many = Array.from({ length: 200 }, (_, i) => `pkg:npm/a@${i}`);
    expect(read(about(...many)).statements[0]?.components).toHaveLength(100);
  });
});

describe('CycloneDX', () => {
  const bom = (...vulnerabilities: object[]) => ({
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { supplier: { name: 'Acme' } } },
    components: [{ type: 'library', 'bom-ref': 'a', name: 'lodash', version: '4.17.20', purl: PURL }],
    vulnerabilities,
  });

  it.each([
    ['not_affected', 'not_affected'],
    ['false_positive', 'not_affected'],
    ['exploitable', 'affected'],
    ['in_triage', 'under_investigation'],
    ['resolved', 'fixed'],
    ['resolved_with_pedigree', 'fixed'],
  ])('says by its analysis: %s', (state, status) => {
    const analysis = { state, justification: 'code_not_reachable', detail: 'See the design.' };
    expect(read(bom({ id: 'CVE-1', references: [{ id: 'GHSA-1' }], affects: [{ ref: 'a' }], analysis }))).toEqual({
      format: 'CycloneDX',
      author: 'Acme',
      statements: [
        {
          ...{ names: ['CVE-1', 'GHSA-1'], components: [PURL], status },
          ...{ justification: 'code_not_reachable' },
        },
      ],
      others: 0,
    });
  });

  it('may refer to another document, and to what has no component', () => {
    const analysis = { state: 'not_affected', justification: 'code_not_present' };
    const ref = `urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#${encodeURIComponent(PURL)}`;
    expect(read(bom({ id: 'CVE-1', affects: [{ ref }], analysis }, { id: 'CVE-2' })).statements).toMatchObject([
      { names: ['CVE-1'], components: [PURL] },
    ]);
  });

  it.each(['100%', 'pkg:npm/%FF@1'])('takes a reference that no URL can have as it is: %s', (ref) => {
    const analysis = { state: 'not_affected', justification: 'code_not_present' };
    expect(read(bom({ id: 'CVE-1', affects: [{ ref }], analysis }))).toMatchObject({
      statements: [{ components: [ref] }],
    });
  });

  it('is about the artifact where it affects what the document describes', () => {
    const analysis = { state: 'false_positive', lastUpdated: '2026-11-01T08:00:00Z' };
    const document = bom({ id: 'CVE-1', affects: [{ ref: 'root' }], analysis });
    const describing = (component: object) =>
      read({ ...document, metadata: { component: { 'bom-ref': 'root', name: 'any', ...component } } });
    const whole = [{ names: ['CVE-1'], status: 'not_affected', justification: 'false_positive', at: STATED_AT }];
    expect(describing({}).statements).toEqual(whole);
    expect(describing({ version: `sha256:${DIGEST}` }).statements).toEqual(whole);
    expect(describing({ version: `sha256:${'cd'.repeat(32)}` })).toMatchObject({ statements: [], others: 1 });
    expect(read(bom({ id: 'CVE-1', analysis })).statements).toEqual([{ ...whole[0], at: STATED_AT }]);
  });

  it('without an analysis is no VEX', () => {
    expect(() => read(bom({ id: 'CVE-1', affects: [] }))).toThrow('is CycloneDX without the analysis');
  });
});

describe('CSAF', () => {
  const helper = (product_id: string, purl?: string) => ({
    product_id,
    name: `Product ${product_id}`,
    ...(purl && { product_identification_helper: { purl } }),
  });
  const csaf = (...vulnerabilities: object[]) => ({
    document: {
      ...{ category: 'csaf_vex', csaf_version: '2.0', publisher: { name: 'Acme' } },
      tracking: { current_release_date: '2026-11-01T09:00:00+01:00' },
    },
    product_tree: {
      branches: [{ category: 'vendor', name: 'Acme', branches: [{ product: helper('P1', PURL) }] }],
      full_product_names: [helper('P2')],
      relationships: [
        {
          ...{ category: 'default_component_of', product_reference: 'P1', relates_to_product_reference: 'P2' },
          full_product_name: helper('P1-in-P2'),
        },
      ],
    },
    vulnerabilities,
  });

  it('has a statement for each status and reason', () => {
    const product_status = {
      known_not_affected: ['P1-in-P2', 'P2'],
      known_affected: ['P3'],
      fixed: ['P1'],
      under_investigation: ['P2'],
      recommended: ['P1'],
    };
    const flags = [{ label: 'component_not_present', product_ids: ['P1-in-P2'] }];
    const threats = [
      { category: 'impact', details: 'It is not reachable.', product_ids: ['P2'] },
      { category: 'exploit_status', details: 'None is known.' },
    ];
    expect(read(csaf({ cve: 'CVE-1', ids: [{ text: 'GHSA-1' }], product_status, flags, threats }))).toEqual({
      format: 'CSAF',
      author: 'Acme',
      statements: [
        {
          ...{ names: ['CVE-1', 'GHSA-1'], status: 'not_affected', components: [PURL] },
          ...{ justification: 'component_not_present', at: STATED_AT },
        },
        {
          ...{ names: ['CVE-1', 'GHSA-1'], status: 'not_affected', components: ['Product P2'] },
          ...{ justification: 'It is not reachable.', at: STATED_AT },
        },
        { names: ['CVE-1', 'GHSA-1'], status: 'affected', components: ['P3'], at: STATED_AT },
        { names: ['CVE-1', 'GHSA-1'], status: 'fixed', components: [PURL], at: STATED_AT },
        { names: ['CVE-1', 'GHSA-1'], status: 'under_investigation', components: ['Product P2'], at: STATED_AT },
      ],
      others: 0,
    });
  });

  it('is refused without a statement', () => {
    expect(() => read(csaf({ cve: 'CVE-1' }))).toThrow('has no statement');
  });
});

it.each([
  ['a scan', { runs: [] }, 'is a scan result, not a VEX document. Send it as type snyk'],
  ['an SBOM', { spdxVersion: 'SPDX-2.3' }, 'is an SBOM, not a VEX document. Send it as type sbom'],
  ['nothing known', {}, 'is neither OpenVEX, CycloneDX with analyses, nor CSAF.'],
])('another document is refused: %s', (_, document, text) => {
  expect(() => read(document)).toThrow(text);
});
