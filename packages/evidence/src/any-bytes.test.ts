import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFindings } from './findings.ts';
import { givenTar } from './given/archive.ts';
import { FINGERPRINT, givenEnvelope, givenKeys, givenStatement } from './given/envelope.ts';
import { givenBundle, givenSigstore } from './given/sigstore.ts';
import { verifyInToto } from './in-toto.ts';
import { readJunit } from './junit.ts';
import { readSbom } from './sbom.ts';
import { Unreadable } from './unreadable.ts';
import { readVex } from './vex.ts';

const junit = `<?xml version="1.0"?><testsuites failures="1"><testsuite name="s" tests="2" time="1.5">
<testcase classname="c" name="a"/><testcase name="b"><failure message="m"><![CDATA[x]]>&lt;</failure></testcase>
</testsuite></testsuites>`;
const sarif = JSON.stringify({
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 't', rules: [{ id: 'r', properties: { 'security-severity': '7.5' } }] } },
      results: [{ ruleId: 'r', ruleIndex: 0, level: 'error', message: { text: 'm' }, suppressions: [{}] }],
    },
  ],
});
const snyk = JSON.stringify([{ ok: false, vulnerabilities: [{ id: 'a', severity: 'high', version: '1' }] }]);
const cyclonedx = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [{ type: 'library', name: 'a', components: [{ type: 'file', name: 'b' }] }],
});
const spdx = JSON.stringify({
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'a',
  dataLicense: 'CC0-1.0',
  documentNamespace: 'https://example.com/a',
  creationInfo: { created: '2026-11-15T03:00:00Z', creators: ['Tool: x'] },
  packages: [
    { SPDXID: 'SPDXRef-a', name: 'a', externalRefs: [{ referenceType: 'purl', referenceLocator: 'pkg:a/b' }] },
  ],
});

const cyclonedxXml =
  '<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components><component type="file"><name>a</name><purl>pkg:a/b</purl></component></components></bom>';
const spdx3 = JSON.stringify({
  '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
  '@graph': [{ type: 'SpdxDocument' }, { type: 'software_Package', name: 'a' }],
});
const trivy = JSON.stringify({
  SchemaVersion: 2,
  ArtifactName: 'a',
  Results: [{ Target: 't', Vulnerabilities: [{ VulnerabilityID: 'v', Severity: 'HIGH' }] }],
});
const grype = JSON.stringify({
  matches: [{ vulnerability: { id: 'v', severity: 'High' }, artifact: { name: 'a' } }],
  descriptor: { name: 'grype' },
});
const gitleaks = JSON.stringify([{ RuleID: 'r', Secret: 's', File: 'f', StartLine: 1 }]);
const osv = JSON.stringify({
  results: [{ packages: [{ package: { name: 'a' }, groups: [{ ids: ['v'], max_severity: '9.8' }] }] }],
});

const openVex = JSON.stringify({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  statements: [
    {
      vulnerability: { name: 'v', aliases: ['w'] },
      products: ['p', { '@id': 'q', subcomponents: ['r'] }],
      status: 'fixed',
    },
  ],
});
const cyclonedxVex = JSON.stringify({
  bomFormat: 'CycloneDX',
  components: [{ 'bom-ref': 'a', name: 'a', purl: 'pkg:a/b' }],
  vulnerabilities: [{ id: 'v', affects: [{ ref: 'a' }, { ref: 'urn:cdx:s/1#%41' }], analysis: { state: 'resolved' } }],
});
const csaf = JSON.stringify({
  document: { csaf_version: '2.0', tracking: { current_release_date: '2026-11-01T08:00:00Z' } },
  product_tree: { branches: [{ branches: [{ product: { product_id: 'a', name: 'a' } }] }] },
  vulnerabilities: [{ cve: 'v', product_status: { known_not_affected: ['a'] }, flags: [{ label: 'l' }] }],
});
const subjectOfVex = { fingerprint: FINGERPRINT, names: ['web'] };

const key = givenKeys.p256();
const subject = 'https://example.com/ci';
const issuer = 'https://issuer.example.com';
const sigstore = await givenSigstore();
const envelope = JSON.stringify(givenEnvelope(givenStatement(), [{ by: key, keyid: 'k' }]));
const bundle = JSON.stringify(await givenBundle(sigstore, givenStatement(), { subject, issuer, proof: 'both' }));
const trust = {
  keys: [{ id: 'k', name: 'k', publicKey: key.pem }],
  identities: [{ id: 'i', name: 'i', issuer, subject, trustedRoot: sigstore.root }],
};

const tar = (path: string, content: string) =>
  givenTar([
    { path: 'd/', type: '5' },
    { path, content },
  ]);

/** Removes some bytes and inserts others, at a few places. */
function mutated(original: Uint8Array): fc.Arbitrary<Uint8Array> {
  const pieces = ['"', '{}', '[]', 'null', '-1', '1e999', '<', '/>', '&#x0;', '\\u0000', '__proto__', ',', '0'];
  const added = fc.oneof(
    fc.constantFrom(...pieces).map((text) => new Uint8Array(Buffer.from(text))),
    fc.uint8Array({ maxLength: 4 }),
  );
  const edit = fc.tuple(fc.nat(original.length), fc.nat(6), added);
  return fc
    .array(edit, { minLength: 1, maxLength: 3 })
    .map((edits) =>
      edits.reduce<Uint8Array>(
        (bytes, [at, removed, piece]) => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + removed)]),
        original,
      ),
    );
}

function seeds(...texts: string[]): fc.Arbitrary<Uint8Array> {
  return fc.oneof(fc.uint8Array({ maxLength: 300 }), ...texts.map((text) => mutated(Buffer.from(text))));
}

function packed(path: string, text: string): fc.Arbitrary<Uint8Array> {
  const plain = tar(path, text);
  return fc.oneof(
    mutated(plain).map((bytes) => gzipSync(bytes)),
    mutated(gzipSync(plain)),
  );
}

/** Whether the bytes are readable; any error but `Unreadable` fails the property. */
function canRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(Unreadable);
    return false;
  }
}

describe('whatever the bytes, a reader answers or reports that they are unreadable', () => {
  const readers: [string, fc.Arbitrary<Uint8Array>, (bytes: Uint8Array) => unknown][] = [
    ['JUnit', fc.oneof(seeds(junit), packed('a.xml', junit)), (bytes) => readJunit({ name: 'f', bytes })],
    [
      'findings',
      fc.oneof(seeds(sarif, snyk, trivy, grype, gitleaks, osv), packed('a.sarif', sarif)),
      (bytes) => readFindings({ name: 'f', bytes }),
    ],
    [
      'SBOM',
      fc.oneof(seeds(cyclonedx, spdx, cyclonedxXml, spdx3), packed('a.json', spdx)),
      (bytes) => readSbom({ name: 'f', bytes }),
    ],
    [
      'VEX',
      fc.oneof(seeds(openVex, cyclonedxVex, csaf), packed('a.json', openVex)),
      (bytes) => readVex({ name: 'f', bytes }, subjectOfVex),
    ],
  ];
  it.each(readers)('%s', (_, bytes, read) => {
    fc.assert(
      fc.property(bytes, (given) => {
        canRead(() => read(given));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('whatever the bytes, an attestation is verified only if nothing signed has changed', () => {
  const signed = { payload: givenStatement(), envelope: JSON.parse(envelope), bundle: JSON.parse(bundle) };

  it.each([
    ['an envelope', envelope],
    ['a bundle', bundle],
  ])('%s', (_, text) => {
    fc.assert(
      fc.property(seeds(text), (bytes) => {
        canRead(() => {
          if (!verifyInToto({ bytes }, trust, FINGERPRINT).verified) return;
          const document = JSON.parse(Buffer.from(bytes).toString());
          const payload = Buffer.from((document.dsseEnvelope ?? document).payload, 'base64').toString();
          expect(payload).toBe(signed.payload);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('and the originals are readable, so that the properties mean something', () => {
    const file = (text: string) => ({ name: 'f', bytes: Buffer.from(text) });
    expect(readJunit(file(junit)).failures).toBe(1);
    expect(readFindings(file(sarif)).total).toBe(0);
    expect(readFindings(file(snyk)).errors).toBe(1);
    expect([trivy, grype, gitleaks, osv].map((text) => readFindings(file(text)).errors)).toEqual([1, 1, 1, 1]);
    expect([cyclonedxXml, spdx3].map((text) => readSbom(file(text)).components.length)).toEqual([1, 1]);
    expect(readSbom(file(cyclonedx)).components).toHaveLength(2);
    expect(readSbom(file(spdx)).components).toHaveLength(1);
    for (const text of [openVex, cyclonedxVex, csaf])
      expect(readVex(file(text), subjectOfVex).statements).toHaveLength(1);
    expect(verifyInToto(file(envelope), trust, FINGERPRINT)).toMatchObject({ verified: true, by: { kind: 'key' } });
    expect(verifyInToto(file(bundle), trust, FINGERPRINT)).toMatchObject({ verified: true, by: { kind: 'identity' } });
  });
});
