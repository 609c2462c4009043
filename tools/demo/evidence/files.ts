import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto';
import type { Release } from '../release-plan.ts';
import type { Words } from '../words.ts';
import { suitesOf } from './attested.ts';
import { buildUrl, commitUrl } from './commit.ts';

/** Attachments of the evidence, as the tools would write them. */
export interface Attachment {
  readonly name: string;
  readonly content: string;
}

const PARTS = [
  ['fastify', '5.6.1', 'MIT'],
  ['zod', '4.1.12', 'MIT'],
  ['pg', '8.16.3', 'MIT'],
  ['undici', '7.16.0', 'MIT'],
  ['pino', '10.1.0', 'MIT'],
  ['kysely', '0.28.8', 'MIT'],
  ['nanoid', '5.1.6', 'MIT'],
  ['semver', '7.7.3', 'ISC'],
  ['yaml', '2.8.1', 'ISC'],
  ['luxon', '3.7.2', 'MIT'],
] as const;

export function sbomFile(release: Release, words: Words): Attachment {
  const minor = Number(release.version.split('.')[1]);
  const components = PARTS.filter((_, i) => (i + release.service.length) % 4 !== 0).map(([name, version, license]) => ({
    type: 'library',
    name: words.text(name),
    version: `${version}${minor % 5 === 0 ? '' : `-${minor % 5}`}`,
    purl: `pkg:npm/${name}@${version}`,
    licenses: [{ license: { id: license } }],
  }));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'container', name: release.image.split(':')[0], version: release.version } },
    components,
  };
  return { name: 'bom.cdx.json', content: JSON.stringify(document, null, 2) };
}

/** Nothing that makes a release fail: what was found is of medium severity or below, and one part is updated half-way. */
const ADVISORIES = [
  ['CVE-2026-20411', 'undici', '7.16.0', '7.17.1', 'MEDIUM', 'Requests may be answered from the cache of another host'],
  ['CVE-2026-18207', 'semver', '7.7.3', undefined, 'LOW', 'Slow parsing of long version ranges'],
  ['CVE-2026-11934', 'yaml', '2.8.1', '2.8.2', 'MEDIUM', 'Deeply nested documents exhaust the stack'],
] as const;

export function dependencyScanFile(release: Release, words: Words): Attachment {
  const known = ADVISORIES.slice(Number(release.version.split('.')[1]) > 8 ? 1 : 0);
  const Vulnerabilities = known.map(([VulnerabilityID, PkgName, InstalledVersion, FixedVersion, Severity, title]) => ({
    ...{ VulnerabilityID, PkgName, InstalledVersion, FixedVersion, Severity, Title: words.text(title) },
    PkgIdentifier: { PURL: `pkg:npm/${PkgName}@${InstalledVersion}` },
    PrimaryURL: `https://advisories.example.com/${VulnerabilityID}`,
  }));
  const report = {
    SchemaVersion: 2,
    CreatedAt: release.builtAt.toISOString(),
    ArtifactName: release.image,
    ArtifactType: 'container_image',
    Results: [{ Target: 'package-lock.json', Class: 'lang-pkgs', Type: 'npm', Vulnerabilities }],
  };
  return { name: 'trivy.json', content: JSON.stringify(report, null, 2) };
}

/** Says why one of what the scan found does not matter. */
export function vexFile(release: Release, words: Words): Attachment {
  const [id, name, version] = ADVISORIES[1];
  const document = {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': `https://shop.example.com/vex/${release.fingerprint}`,
    author: words.text('Security team'),
    timestamp: release.builtAt.toISOString(),
    version: 1,
    statements: [
      {
        vulnerability: { name: id },
        products: [{ '@id': `pkg:npm/${name}@${version}` }],
        status: 'not_affected',
        justification: 'vulnerable_code_cannot_be_controlled_by_adversary',
        impact_statement: words.text('No user can enter a range of versions.'),
      },
    ],
  };
  return { name: 'openvex.json', content: JSON.stringify(document, null, 2) };
}

export function junitFile(release: Release, words: Words): Attachment {
  const suites = suitesOf(release).map((suite, i) => {
    const cases = Array.from({ length: 8 }, (_, n) =>
      testCase(release, suite, n, i === 0 && n < release.failures, words),
    );
    return `  <testsuite name="${xml(words.text(suite))}" tests="8" failures="${i === 0 ? release.failures : 0}">\n${cases.join('\n')}\n  </testsuite>`;
  });
  return { name: 'junit.xml', content: `<?xml version="1.0"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n` };
}

function testCase(release: Release, suite: string, n: number, fails: boolean, words: Words): string {
  const open = `    <testcase classname="${release.service}.${suite}" name="${xml(words.text(`${suite} case ${n + 1}`))}" time="0.0${n + 1}"`;
  return fails ? `${open}><failure message="${xml(words.text('expected 200, got 500'))}"/></testcase>` : `${open}/>`;
}

function xml(text: string): string {
  return text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export function smokeTestFile(release: Release, words: Words): Attachment {
  const lines = ['open the shop', 'find a product', 'put it into the cart', 'order it', 'cancel the order'];
  const log = lines.map((line, i) => `${release.builtAt.toISOString()} ok ${i + 1} - ${words.text(line)}`);
  return { name: 'smoke-test.log', content: `${log.join('\n')}\n` };
}

const PKCS8_ED25519 = '302e020100300506032b657004220420';
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** Worthless: derived from a public text, so that it is the same each time. */
function builderKey() {
  const der = Buffer.from(`${PKCS8_ED25519}${hash('sha256', 'builder of the demo')}`, 'hex');
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

export function builderPublicKey(): string {
  return createPublicKey(builderKey()).export({ type: 'spki', format: 'pem' }).toString();
}

export function provenanceFile(release: Release): Attachment {
  const statement = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [{ name: release.image, digest: { sha256: release.fingerprint } }],
    predicate: {
      buildDefinition: {
        buildType: 'https://ci.example.com/build/v1',
        externalParameters: { source: commitUrl(release) },
        resolvedDependencies: [{ uri: commitUrl(release), digest: { gitCommit: release.commit } }],
      },
      runDetails: { builder: { id: 'https://ci.example.com/builder' }, metadata: { invocationId: buildUrl(release) } },
    },
  });
  const payload = Buffer.from(statement);
  const signed = Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} ${statement}`);
  const envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: 'builder', sig: sign(null, signed, builderKey()).toString('base64') }],
  };
  return { name: 'provenance.dsse.json', content: JSON.stringify(envelope) };
}
