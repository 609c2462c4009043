import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTrail, listAttestations } from '@waymark/contract';
import { afterAll, expect, inject, it } from 'vitest';
import type { Release } from '../../../tools/release/build-release.ts';
import { LOCAL_BUILDER, provenanceOf } from '../../../tools/release/provenance.ts';
import { type Evidence, prepareRecord, ReleaseRefused, recordRelease } from '../../../tools/release/record-release.ts';
import { sbomName, writeSboms } from '../../../tools/release/sbom/write-sboms.ts';
import { startApi } from '../../server/test/harness.ts';
import { version } from '../src/run/version.ts';
import { addressOf } from './given-cli.ts';

const COMMIT = '1b6453892473a467d07372d45eb05abc2031647a';
const REPOSITORY = 'https://git.example.com/acme/waymark';
const PACKAGE = `waymark-cli-${version}.tgz`;
const { cli: CLI } = inject('programs');

const out = mkdtempSync(join(tmpdir(), 'own-release-'));
afterAll(() => rmSync(out, { recursive: true }));
writeSboms(out);
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** One package of a release, with what is needed to publish it. */
function givenRelease(content: string): { release: Release; evidence: Evidence } {
  writeFileSync(join(out, PACKAGE), content);
  const subject = { name: PACKAGE, sha256: hash('sha256', content) };
  const origin = { tag: `v${version}`, repository: REPOSITORY, builder: LOCAL_BUILDER, invocation: '1' };
  const file = (name: string, text: string) => {
    writeFileSync(join(out, name), text);
    return join(out, name);
  };
  return {
    release: { out, files: [PACKAGE], images: {}, charts: [] },
    evidence: {
      commit: COMMIT,
      repository: REPOSITORY,
      tests: file(
        'tests.xml',
        '<testsuites><testsuite name="a" tests="1"><testcase name="b"/></testsuite></testsuites>',
      ),
      provenance: file('provenance.dsse.json', signed(provenanceOf([subject], origin))),
      scan: undefined,
      environment: 'dry-run',
    },
  };
}

/** A folder with a SARIF file for each SBOM that was scanned, as the release workflow passes it. */
function givenScan(files: Readonly<Record<string, readonly object[]>>): string {
  const folder = mkdtempSync(join(out, 'scan-'));
  for (const [name, results] of Object.entries(files)) {
    const driver = { name: 'Grype', version: '0.100.0', informationUri: 'https://github.com/anchore/grype' };
    writeFileSync(
      join(folder, `${name}.sarif`),
      JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver }, results }] }),
    );
  }
  return folder;
}

/** https://github.com/secure-systems-lab/dsse */
function signed(statement: object): string {
  const payload = Buffer.from(JSON.stringify(statement));
  const type = 'application/vnd.in-toto+json';
  const bytes = Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} ${payload}`);
  const signature = { sig: sign('sha256', bytes, privateKey).toString('base64') };
  return JSON.stringify({ payloadType: type, payload: payload.toString('base64'), signatures: [signature] });
}

async function givenServer() {
  const api = await startApi();
  // Commands send the time of this machine.
  Object.defineProperty(api.clock, 'now', { get: () => new Date() });
  const key = join(out, 'release.pub');
  writeFileSync(key, publicKey.export({ type: 'spki', format: 'pem' }));
  const server = { url: await addressOf(api), org: api.org.name, token: api.org.keys.admin };
  await prepareRecord(CLI, server, { kind: 'key', file: key });
  return { api, server };
}

it('is recorded in Waymark, and complies with its own policy', async () => {
  const { api, server } = await givenServer();
  const { release, evidence } = givenRelease('complete');
  await recordRelease(CLI, server, release, evidence);

  const { body } = await api.call(listAttestations, { query: { flow: 'release', per_page: '50' } });
  const found = body.data.map(({ attestation_name, is_compliant }) => [attestation_name, is_compliant]);
  expect(Object.fromEntries(found)).toEqual({ tests: true, scan: false, provenance: true, sbom: true });
  const trail = await api.call(getTrail, { params: { flow_name: 'release', trail_name: `v${version}` } });
  expect(trail.body.git_commit_info?.sha1).toBe(COMMIT);
});

it('complies where a scan is required, with the SARIF files of a scan that found no error', async () => {
  const { api, server } = await givenServer();
  const { release, evidence } = givenRelease('scanned');
  const scanned = { ...evidence, environment: 'releases' } as const;
  const result = (level: string) => ({ ruleId: 'CVE-2026-0001-node', level, message: { text: 'A medium finding' } });
  await recordRelease(CLI, server, release, { ...scanned, scan: givenScan({ server: [], cli: [result('warning')] }) });

  const { body } = await api.call(listAttestations, { query: { flow: 'release', per_page: '50' } });
  const [scan, ...others] = body.data.filter(({ attestation_name }) => attestation_name === 'scan');
  expect(others).toEqual([]);
  expect(scan).toMatchObject({ attestation_type: 'snyk', is_compliant: true });

  const failing = givenScan({ server: [result('error')], cli: [] });
  await expect(recordRelease(CLI, server, release, { ...scanned, scan: failing })).rejects.toThrow(
    "'scan' of type snyk",
  );
});

it('is refused without an SBOM, with failed tests, and where a scan is required without one', async () => {
  const { server } = await givenServer();
  const { release, evidence } = givenRelease('incomplete');
  const refusal = (changed: Partial<Evidence>) =>
    recordRelease(CLI, server, release, { ...evidence, ...changed }).catch((error: unknown) => error);
  const expectRefused = async (changed: Partial<Evidence>, reason: string) => {
    const error = await refusal(changed);
    expect(error).toBeInstanceOf(ReleaseRefused);
    expect(String(error)).toContain(reason);
  };

  const sbom = join(out, sbomName('npm-cli', 'cdx'));
  renameSync(sbom, `${sbom}.away`);
  await expectRefused({}, "'sbom' of type sbom");
  renameSync(`${sbom}.away`, sbom);
  expect(await refusal({})).toBeUndefined();
  await expectRefused({ environment: 'releases' }, "'scan' of type snyk");
  const failed = readFileSync(evidence.tests, 'utf8').replace(
    '<testcase name="b"/>',
    '<testcase name="b"><failure/></testcase>',
  );
  writeFileSync(evidence.tests, failed);
  await expectRefused({}, "'tests' of type junit");
});
