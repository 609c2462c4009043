import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type Attestation,
  addTrustedIdentity,
  addTrustedKey,
  attestInToto,
  attestJunit,
  attestSbom,
  downloadEvidence,
  listAttestations,
  searchComponents,
} from '@waymark/contract';
import { pack } from 'tar-stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvelope, givenKeys, givenStatement } from '../../../../../packages/evidence/src/given/envelope.ts';
import { givenBundle, givenSigstore } from '../../../../../packages/evidence/src/given/sigstore.ts';
import { fingerprint, givenArtifact, givenFlow, sendForm, trailOf } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

const statements: string[] = [];
const api = await startApi({ onQuery: (text) => statements.push(text) });
let flow = '';
let count = 0;
beforeEach(async () => {
  flow = `flow-${++count}`;
  await givenFlow(api, flow, 'version: 1\n');
  await givenArtifact(api, flow, 'a', { trail_name: 't' });
});

const attach = (
  kind: string,
  json: object,
  name: string,
  content: string | Uint8Array,
  headers: Record<string, string> = {},
) =>
  sendForm(
    api,
    'POST',
    `/attestations/acme/${flow}/trail/t/${kind}`,
    { data_json: { attestation_name: 'x', ...json } },
    {
      part: 'attachment_file',
      name,
      content,
    },
    headers,
  );

async function newest(): Promise<Attestation> {
  const { body } = await api.call(listAttestations, { query: { flow, per_page: '1' } });
  const [attestation] = (body as { data: Attestation[] }).data;
  if (!attestation) throw new Error('nothing was recorded');
  return attestation;
}

const GOOD =
  '<testsuites><testsuite name="s" tests="2"><testcase name="a"/><testcase name="b"/></testsuite></testsuites>';
const BAD =
  '<testsuite name="s" tests="1" failures="1"><testcase name="a"><failure message="no">trace</failure></testcase></testsuite>';

describe('an attachment', () => {
  it('is stored and returned byte for byte', async () => {
    const content = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31) % 256);
    expect(await attach('generic', { is_compliant: true }, 'scan.bin', content)).toMatchObject({ status: 201 });
    const recorded = await newest();
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(recorded).toMatchObject({
      evidence_archive_fingerprint: sha256,
      evidence_archive_path: 'scan.bin',
      evidence_archive_size: 300_000,
      _links: { evidence: { href: expect.stringContaining('/evidence') } },
    });
    const params = { org: 'acme', flow_name: flow, trail_name: 't', attestation_id: recorded.attestation_id };
    const response = await api.app.http.inject({
      method: 'GET',
      url: `/api/v2/attestations/acme/${flow}/trail/t/attestation/${recorded.attestation_id}/evidence`,
      headers: { authorization: `Bearer ${api.org.keys.reader}` },
    });
    expect(response.headers).toMatchObject({
      'content-disposition': expect.stringContaining('scan.bin'),
      'x-content-type-options': 'nosniff',
    });
    expect(createHash('sha256').update(response.rawPayload).digest('hex')).toBe(sha256);
    const wrong = { ...params, attestation_id: '0190c0de-0000-7000-8000-000000000000' };
    expect(await api.call(downloadEvidence, { params: wrong })).toMatchObject({ status: 404 });
    const other = await api.givenOrg(`other-${flow}`);
    expect(await api.call(downloadEvidence, { params, key: other.keys.admin })).toMatchObject({ status: 403 });
  });

  it('is missing where none was sent', async () => {
    await sendForm(api, 'POST', `/attestations/acme/${flow}/trail/t/generic`, {
      data_json: { attestation_name: 'x', is_compliant: true },
    });
    const params = { flow_name: flow, trail_name: 't', attestation_id: (await newest()).attestation_id };
    expect(await api.call(downloadEvidence, { params })).toMatchObject({ status: 404 });
  });

  it('must be the same in a repeat under an evidence id', async () => {
    const headers = { 'waymark-evidence-id': '0190c0de-0000-7000-8000-00000000000a' };
    const first = await attach('generic', { is_compliant: true }, 'a.txt', 'one', headers);
    expect(first).toMatchObject({ status: 201 });
    const again = await attach('generic', { is_compliant: true }, 'a.txt', 'one', headers);
    expect(again.headers['waymark-attestation']).toBe(first.headers['waymark-attestation']);
    expect(await attach('generic', { is_compliant: true }, 'a.txt', 'two', headers)).toMatchObject({ status: 400 });
  });
});

describe('JUnit XML', () => {
  it('is parsed on the server and outranks what the client says', async () => {
    await attach('junit', { junit_results: [] }, 'junit.xml', BAD);
    expect(await newest()).toMatchObject({
      is_compliant: false,
      reasons: ["1 failure in 1 test: 'a' of 's'."],
      evaluation: { failures: 1, total: 1, failed: [{ suite: 's', test: 'a' }] },
      judged_by: { reader: 'evidence/7', verdict: 'verdict/4' },
    });
    await attach('junit', {}, 'junit.xml', GOOD);
    expect(await newest()).toMatchObject({ is_compliant: true, evaluation: { total: 2 } });
  });

  it.each([
    ['no test', '<testsuites/>', 'No test ran: the report contains no tests.'],
    [
      'skipped tests alone',
      '<testsuite name="s"><testcase name="a"><skipped/></testcase></testsuite>',
      'No test ran: 1 test skipped.',
    ],
  ])('with %s is recorded as no_tests, and is not compliant', async (_, xml, reason) => {
    expect(await attach('junit', {}, 'junit.xml', xml)).toMatchObject({
      status: 201,
      body: expect.stringContaining(`not compliant. ${reason}`),
    });
    expect(await newest()).toMatchObject({ is_compliant: false, outcome: 'no_tests', reasons: [reason] });
    expect((await trailOf(api, flow, 't')).compliance_state).toBe('NON-COMPLIANT');
  });

  it('is found in the archive that clients make of a directory', async () => {
    const archive = pack();
    archive.entry({ name: 'results/one.xml' }, GOOD);
    archive.entry({ name: 'results/two.xml' }, BAD);
    archive.finalize();
    const tar = Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>));
    await attach('junit', { junit_results: [] }, 'evidence.tgz', gzipSync(tar));
    expect(await newest()).toMatchObject({ is_compliant: false, evaluation: { total: 3, failures: 1 } });
  });

  it('of another format is only stored beside the results, and refused without them', async () => {
    expect(await attach('junit', {}, 'notes.pdf', 'x')).toMatchObject({
      status: 400,
      body: { errors: { attachment_file: expect.stringContaining('notes.pdf') } },
    });
    const suite = { name: 's', failures: 0, errors: 0, skipped: 0, total: 1, duration: 1 };
    expect(await attach('junit', { junit_results: [suite] }, 'pom.xml', '<project/>')).toMatchObject({ status: 201 });
    expect(await newest()).toMatchObject({ is_compliant: true, evaluation: null, evidence_archive_path: 'pom.xml' });
    const params = { flow_name: flow, trail_name: 't' };
    expect(await api.call(attestJunit, { params, body: { attestation_name: 'x' } })).toMatchObject({
      status: 400,
      body: { errors: { junit_results: 'is required if no XML is attached' } },
    });
  });

  it('is parsed whatever its name is', async () => {
    await attach('junit', { junit_results: [] }, 'results.txt', BAD);
    expect(await newest()).toMatchObject({ is_compliant: false });
  });
});

it('SARIF is parsed on the server', async () => {
  const sarif = (results: object[]) =>
    JSON.stringify({
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'Snyk Open Source', version: '1' } }, results }],
    });
  await attach('snyk', {}, 'scan.sarif', sarif([{ ruleId: 'R1', level: 'error', message: { text: 'bad' } }]));
  expect(await newest()).toMatchObject({ is_compliant: false, reasons: ['1 error (R1); fails at error, by default.'] });
  await attach('snyk', {}, 'scan.json', sarif([]));
  expect(await newest()).toMatchObject({ is_compliant: true, evaluation: { total: 0 } });
});

it('the JSON of other scanners is parsed on the server, and VEX is recognized and refused', async () => {
  const vulnerability = { VulnerabilityID: 'CVE-1', PkgName: 'ssl', InstalledVersion: '3.1', Severity: 'HIGH' };
  const trivy = {
    SchemaVersion: 2,
    ArtifactName: 'shop:1',
    Results: [{ Target: 'shop:1', Vulnerabilities: [vulnerability] }],
  };
  await attach('snyk', {}, 'trivy.json', JSON.stringify(trivy));
  expect(await newest()).toMatchObject({
    is_compliant: false,
    reasons: ['1 error (CVE-1); fails at error, by default.'],
    evaluation: { tool: { name: 'Trivy' }, findings: [{ id: 'CVE-1', level: 'error', location: 'ssl@3.1' }] },
  });
  const vex = JSON.stringify({ '@context': 'https://openvex.dev/ns/v0.2.0', statements: [] });
  for (const kind of ['snyk', 'sbom']) {
    expect(await attach(kind, {}, 'vex.json', vex)).toMatchObject({
      status: 400,
      body: { errors: { attachment_file: expect.stringContaining('vex.json: is OpenVEX, not a') } },
    });
  }
});

describe('a bill of materials', () => {
  const bom = (name: string, version: string) =>
    JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      version: 1,
      components: [{ type: 'library', name, version, purl: `pkg:npm/${name}@${version}` }],
    });

  it('is written a thousand components in a statement, and all of them are found', async () => {
    const components = Array.from({ length: 2_500 }, (_, i) => ({ type: 'library', name: `part-${i}`, version: '1' }));
    const text = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components });
    statements.length = 0;
    expect((await attach('sbom', {}, 'bom.json', text)).status).toBe(201);
    expect(statements.filter((one) => one.startsWith('insert into component '))).toHaveLength(3);
    const id = (await newest()).attestation_id;
    const rows = await api.db
      .selectFrom('component')
      .select(['position', 'name'])
      .where('org_id', '=', api.org.id)
      .where('attestation_id', '=', (eb) =>
        eb.selectFrom('sbom').select('list_id').where('org_id', '=', api.org.id).where('attestation_id', '=', id),
      )
      .orderBy('position')
      .execute();
    const names = components.map(({ name }) => name).sort();
    expect(rows).toEqual(names.map((name, position) => ({ position, name })));
  });

  it('is parsed, and its components are found', async () => {
    expect(
      await attach('sbom', { artifact_fingerprint: fingerprint('a') }, 'bom.json', bom('left-pad', `1.${count}.0`)),
    ).toMatchObject({ status: 201 });
    expect(await newest()).toMatchObject({
      attestation_type: 'sbom',
      is_compliant: true,
      evaluation: { format: 'CycloneDX', specVersion: '1.5', component_count: 1 },
    });
    const find = async (query: Record<string, string>) =>
      (await api.call(searchComponents, { query })).body as { data: object[] };
    expect((await find({ name: 'left-pad', version: `1.${count}.0` })).data).toMatchObject([
      { name: 'left-pad', flow_name: flow, trail_name: 't', artifact_fingerprint: fingerprint('a') },
    ]);
    expect((await find({ purl: `pkg:npm/left-pad@1.${count}.0` })).data).toHaveLength(1);
    expect((await find({ name: 'right-pad' })).data).toEqual([]);
    expect(await api.call(searchComponents, { query: {} })).toMatchObject({ status: 400 });
  });

  it('is refused when it cannot be parsed or is missing', async () => {
    expect(await attach('sbom', {}, 'bom.json', bom('字'.repeat(900), '1'))).toMatchObject({
      status: 400,
      body: { errors: { attachment_file: expect.stringContaining('too long') } },
    });
    const xml =
      '<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components><component type="library"><name>xml-part</name></component></components></bom>';
    expect((await attach('sbom', {}, 'bom.xml', xml)).status).toBe(201);
    expect(await newest()).toMatchObject({ evaluation: { format: 'CycloneDX', component_count: 1 } });
    expect(await attach('sbom', {}, 'bom.json', '{"bomFormat":"Other"}')).toMatchObject({
      status: 400,
      body: { errors: { attachment_file: expect.any(String) } },
    });
    expect(
      await api.call(attestSbom, { params: { flow_name: flow, trail_name: 't' }, body: { attestation_name: 'x' } }),
    ).toMatchObject({ status: 400 });
  });
});

describe('a signed statement', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const givenKey = givenKeys.ed25519();
  const statement = (sha256: string) =>
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'app', digest: { sha256 } }],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {},
    });

  function envelope(sha256: string, key: KeyObject): string {
    const payloadType = 'application/vnd.in-toto+json';
    const body = Buffer.from(statement(sha256));
    const pae = Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `), body]);
    const sig = sign(null, pae, key).toString('base64');
    return JSON.stringify({ payloadType, payload: body.toString('base64'), signatures: [{ sig }] });
  }

  const about = { artifact_fingerprint: fingerprint('a') };

  it('by a trusted key is compliant and has the highest trust', async () => {
    await api.call(addTrustedKey, {
      body: {
        name: `builder-${flow}`,
        public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      } as never,
    });
    expect(await attach('in_toto', about, 'build.intoto.json', envelope(fingerprint('a'), privateKey))).toMatchObject({
      status: 201,
    });
    expect(await newest()).toMatchObject({
      attestation_type: 'in_toto',
      is_compliant: true,
      outcome: 'signature_verified',
      trust: 'signature',
      evaluation: {
        signed_by: { kind: 'key' },
        statement: { predicateType: 'https://slsa.dev/provenance/v1' },
      },
    });
  });

  it('by another key is recorded as not compliant, with the reason', async () => {
    const stranger = generateKeyPairSync('ed25519').privateKey;
    expect(await attach('in_toto', about, 'build.json', envelope(fingerprint('a'), stranger))).toMatchObject({
      status: 201,
    });
    const recorded = await newest();
    expect(recorded).toMatchObject({ is_compliant: false, trust: 'api_key', outcome: 'signature_unmatched' });
    expect(recorded.reasons).toHaveLength(1);
    expect((await trailOf(api, flow, 't')).compliance_state).toBe('NON-COMPLIANT');
  });

  it('by a trusted key and changed afterwards does not count as one by an unknown signer', async () => {
    const { body: key } = await api.call(addTrustedKey, {
      body: { name: `changed-${flow}`, public_key: givenKey.pem },
    });
    const subject = [{ name: 'app', digest: { sha256: fingerprint('a') } }];
    const signed = givenEnvelope(givenStatement({ subject }), [{ by: givenKey, keyid: key.sha256 }]);
    const evil = Buffer.from(givenStatement({ subject, predicate: { evil: true } })).toString('base64');
    await attach('in_toto', about, 'build.json', JSON.stringify({ ...signed, payload: evil }));
    expect(await newest()).toMatchObject({
      is_compliant: false,
      outcome: 'signature_invalid',
      trust: 'api_key',
      evaluation: { signed_by: null, claimed_signer: { kind: 'key', id: key.id, name: `changed-${flow}` } },
    });
  });

  it('by a trusted Sigstore identity and changed afterwards names that identity', async () => {
    const sigstore = await givenSigstore();
    const who = {
      issuer: 'https://token.actions.githubusercontent.com',
      subject: `https://github.com/acme/${flow}/.github/workflows/ci.yml@refs/heads/main`,
    };
    const { body: identity } = await api.call(addTrustedIdentity, {
      body: { name: `ci-${flow}`, ...who, trusted_root: sigstore.root },
    });
    const subject = [{ name: 'app', digest: { sha256: fingerprint('a') } }];
    const bundle = await givenBundle(sigstore, givenStatement({ subject }), { ...who, proof: 'both' });
    const evil = Buffer.from(givenStatement({ subject, predicate: { evil: true } })).toString('base64');
    const changed = { ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, payload: evil } };
    await attach('in_toto', about, 'bundle.json', JSON.stringify(changed));
    expect(await newest()).toMatchObject({
      is_compliant: false,
      outcome: 'signature_invalid',
      evaluation: { claimed_signer: { kind: 'identity', id: identity.id } },
    });
    const stranger = await givenBundle(sigstore, givenStatement({ subject }), {
      ...{ ...who, subject: 'https://github.com/evil/app' },
      proof: 'both',
    });
    await attach('in_toto', about, 'bundle.json', JSON.stringify(stranger));
    expect(await newest()).toMatchObject({ outcome: 'signer_unknown', evaluation: { claimed_signer: null } });
  });

  it('about another artifact is refused', async () => {
    expect(await attach('in_toto', about, 'build.json', envelope(fingerprint('b'), privateKey))).toMatchObject({
      status: 400,
      body: { errors: { attachment_file: expect.stringContaining(fingerprint('b')) } },
    });
    expect(await attach('in_toto', {}, 'build.json', envelope(fingerprint('a'), privateKey))).toMatchObject({
      status: 400,
    });
    const params = { flow_name: flow, trail_name: 't' };
    expect(await api.call(attestInToto, { params, body: { attestation_name: 'x', ...about } })).toMatchObject({
      status: 400,
      body: { errors: { attachment_file: expect.stringContaining('is required') } },
    });
  });
});
