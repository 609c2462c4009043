import { createHash, randomUUID } from 'node:crypto';
import {
  type Attestation,
  addTrustedKey,
  attestOverride,
  attestVex,
  eraseAttestation,
  getSnapshot,
  listAttestations,
  removeTrustedKey,
  type Snapshot,
  searchFindings,
} from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { givenEnvelope, givenKeys, givenStatement } from '../../../../../packages/evidence/src/given/envelope.ts';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { attestationIdOf, givenArtifact, givenFlow, sendForm } from '../../../test/given/evidence.ts';
import { environmentPackage, verifyFiles } from '../../../test/given/packages.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../../test/given/policies.ts';
import { givenRunning } from '../../../test/given/runs.ts';
import { givenSealedLedger } from '../../../test/given/sealed.ts';
import { givenReevaluations } from '../../../test/given/worker.ts';
import { startApi } from '../../../test/harness.ts';
import { compareReadings } from '../ledger-checks/records/readings.ts';
import { replayDecisions } from '../runtime-verdicts/replay.reads.ts';

const api = await startApi();
const { settle } = await givenReevaluations(api);
const ledger = await givenSealedLedger(api.db);
const other = await api.givenOrg('other');
const release = givenKeys.ed25519();

const PURL = 'pkg:npm/lodash@4.17.20';
const OPEN_VEX = 'https://openvex.dev/ns/v0.2.0';
const [BY_DEFAULT, BY_KEYS] = ['', ', vex: api_key'].map(
  (vex) => `{ type: snyk, findings: { max: { critical: 0 }${vex} } }`,
) as [string, string];

let flow = '';
let digest = '';
let keyId = '';
let count = 0;
beforeAll(async () => {
  keyId = (await api.call(addTrustedKey, { body: { name: 'release', public_key: release.pem } })).body.id;
});
beforeEach(async () => {
  flow = `scanned-${++count}`;
  digest = createHash('sha256').update(flow).digest('hex');
  await givenFlow(api, flow, 'version: 1\n');
  await givenArtifact(api, flow, 'a', {
    trail_name: 't',
    fingerprint: digest,
    filename: 'registry.example.com/acme/web:7',
  });
  const Vulnerabilities = [
    {
      ...{ VulnerabilityID: 'CVE-2026-1', PkgName: 'lodash', InstalledVersion: '4.17.20', Severity: 'CRITICAL' },
      ...{ VendorIDs: ['GHSA-1'], PkgIdentifier: { PURL } },
    },
  ];
  const scan = { SchemaVersion: 2, ArtifactName: 'web', Results: [{ Target: 'package-lock.json', Vulnerabilities }] };
  expect((await send('snyk', 'scan', scan)).status).toBe(201);
});

const send = (type: string, name: string, document: unknown, more: object = {}, headers: Record<string, string> = {}) =>
  sendForm(
    api,
    'POST',
    `/attestations/acme/${flow}/trail/t/${type}`,
    { data_json: { attestation_name: name, artifact_fingerprint: digest, ...more } },
    { part: 'attachment_file', name: `${type}.json`, content: JSON.stringify(document) },
    headers,
  );

const stated = (status: string, more: object = {}) => ({
  vulnerability: { name: 'CVE-2026-1' },
  products: [{ '@id': `pkg:oci/web@sha256%3A${digest}`, subcomponents: [{ '@id': PURL }] }],
  status,
  ...more,
});
const NOT_AFFECTED = { justification: 'vulnerable_code_not_in_execute_path' };
const openVex = (...statements: object[]) => ({ '@context': OPEN_VEX, author: 'Security team', statements });
const signed = (predicate: object, by = release) =>
  givenEnvelope(
    givenStatement({ subject: [{ name: 'web', digest: { sha256: digest } }], predicateType: OPEN_VEX, predicate }),
    [{ by }],
  );

async function given(rule: string): Promise<string> {
  const name = `e-${randomUUID()}`;
  await givenPolicy(api, name, attestationPolicy(rule));
  await givenEnvironment(api, name);
  await givenAttached(api, name, [name]);
  await givenRunning(api, name, { web: digest });
  return name;
}

async function snapshotOf(environment: string): Promise<Snapshot> {
  await settle();
  const { body } = await api.call(getSnapshot, { params: { env_name: environment, snapshot_expression: '-1' } });
  return body as Snapshot;
}

async function isCompliant(rule: string): Promise<boolean> {
  return (await snapshotOf(await given(rule))).compliant;
}

async function recorded(name: string): Promise<Attestation> {
  const { body } = await api.call(listAttestations, { query: { name, flow: [flow] } });
  const [found] = (body as { data: Attestation[] }).data;
  if (!found) throw new Error(`there is no attestation ${name}`);
  return found;
}

describe('a VEX document', () => {
  it.each<[string, () => object]>([
    ['OpenVEX', () => openVex(stated('not_affected', NOT_AFFECTED))],
    [
      'CycloneDX',
      () => ({
        ...{ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { supplier: { name: 'Security team' } } },
        vulnerabilities: [
          {
            ...{ id: 'CVE-2026-1', affects: [{ ref: PURL }] },
            analysis: { state: 'not_affected', justification: NOT_AFFECTED.justification },
          },
        ],
      }),
    ],
    [
      'CSAF',
      () => ({
        document: { category: 'csaf_vex', csaf_version: '2.0', publisher: { name: 'Security team' } },
        product_tree: {
          full_product_names: [{ product_id: 'P', name: 'lodash', product_identification_helper: { purl: PURL } }],
        },
        vulnerabilities: [
          {
            ...{ cve: 'CVE-2026-1', product_status: { known_not_affected: ['P'] } },
            flags: [{ label: NOT_AFFECTED.justification, product_ids: ['P'] }],
          },
        ],
      }),
    ],
  ])('is read: %s', async (format, document) => {
    const answer = await send('vex', 'vex', document());
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    expect(await recorded('vex')).toMatchObject({
      ...{ attestation_type: 'vex', is_compliant: true, outcome: 'passed', reasons: [], trust: 'api_key' },
      evaluation: {
        ...{ format, author: 'Security team', statement_count: 1, other_statements: 0 },
        statements: [{ names: ['CVE-2026-1'], status: 'not_affected', components: [PURL], ...NOT_AFFECTED }],
      },
    });
    expect(await isCompliant(BY_KEYS)).toBe(true);
    expect(await isCompliant(BY_DEFAULT)).toBe(false);
  });

  it.each<[string, unknown, string]>([
    ['no VEX', { runs: [] }, 'is a scan result, not a VEX document. Send it as type snyk: waymark attest snyk FILE'],
    ['an SBOM', { bomFormat: 'CycloneDX' }, 'is CycloneDX without the analysis of any vulnerability, so it is no VEX.'],
    ['no document', 7, 'is neither OpenVEX, CycloneDX with analyses, nor CSAF.'],
    ['one without a statement', openVex(), 'has no statement, so it says nothing.'],
    ['one with another status', openVex({ vulnerability: 'CVE-1', status: 'fine' }), 'statements[0].status: '],
  ])('is refused if it is %s', async (_, document, text) => {
    const answer = await send('vex', 'vex', document);
    expect(answer).toMatchObject({ status: 400, body: { errors: { attachment_file: expect.stringContaining(text) } } });
  });

  it('is refused without a file, and from who may not report', async () => {
    const params = { flow_name: flow, trail_name: 't' };
    expect(await api.call(attestVex, { params, body: { attestation_name: 'vex' } })).toMatchObject({
      status: 400,
      body: { errors: { attachment_file: 'is required: attach the VEX document' } },
    });
    const of = (key: string) => ({ authorization: `Bearer ${key}` });
    expect(await send('vex', 'vex', openVex(stated('fixed')), {}, of(api.org.keys.reader))).toMatchObject({
      status: 403,
    });
    expect(await send('vex', 'vex', openVex(stated('fixed')), {}, of(other.keys.admin))).toMatchObject({ status: 403 });
    expect(await send('vex', 'vex', openVex(stated('fixed')), {}, of('none'))).toMatchObject({ status: 401 });
  });

  it('is stored once for one evidence id, also at once', async () => {
    const headers = { 'waymark-evidence-id': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send('vex', 'vex', openVex(stated('fixed')), {}, headers)),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from attestation_reading
      where org_id = ${api.org.id} and reading_id in (
        select reading_id from attestation_reading where org_id = ${api.org.id} and attestation_id = ${(await recorded('vex')).attestation_id})`.execute(
      api.db,
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('about a trail is about all artifacts of it', async () => {
    const document = openVex(stated('fixed', { products: [{ '@id': PURL }] }));
    await send('vex', 'vex', document, { artifact_fingerprint: undefined });
    expect(await isCompliant(BY_KEYS)).toBe(true);
  });

  it('about another artifact says nothing', async () => {
    await send('vex', 'vex', openVex(stated('fixed', { products: [`pkg:oci/web@sha256:${'0'.repeat(64)}`] })));
    expect((await recorded('vex')).evaluation).toMatchObject({ statement_count: 0, other_statements: 1 });
    expect(await isCompliant(BY_KEYS)).toBe(false);
  });

  it('knows the artifact by the name that it was reported with', async () => {
    await send(
      'vex',
      'vex',
      openVex(stated('fixed', { products: ['pkg:oci/web?repository_url=registry.example.com/acme'] })),
    );
    expect(await isCompliant(BY_KEYS)).toBe(true);
  });

  it('is not found as a finding', async () => {
    await send('vex', 'vex', openVex(stated('fixed')));
    const query = { attestation_id: (await recorded('vex')).attestation_id };
    expect(await api.call(searchFindings, { query })).toMatchObject({ status: 200, body: { data: [] } });
  });
});

describe('a signed VEX document', () => {
  it('excludes findings, and the verdict says so', async () => {
    const environment = await given(BY_DEFAULT);
    expect((await snapshotOf(environment)).compliant).toBe(false);
    await send('in_toto', 'vex', signed(openVex(stated('not_affected', NOT_AFFECTED))));
    expect(await recorded('vex')).toMatchObject({
      trust: 'signature',
      evaluation: { vex: { format: 'OpenVEX', statement_count: 1 }, statements: [{ vex: { statement_count: 1 } }] },
    });
    expect((await snapshotOf(environment)).compliant).toBe(true);
    await send('in_toto', 'vex', signed(openVex(stated('affected'))));
    expect((await snapshotOf(environment)).compliant).toBe(false);
  });

  it('is shown with the findings that it excludes, with its trust', async () => {
    const find = async () => {
      const query = { attestation_id: (await recorded('scan')).attestation_id };
      const { body } = await api.call(searchFindings, { query });
      return (body as { data: { finding: { id: string }; vex: unknown }[] }).data;
    };
    expect(await find()).toMatchObject([{ finding: { id: 'CVE-2026-1' }, vex: null }]);
    await send('vex', 'claim', openVex(stated('fixed', { timestamp: '2026-01-01T00:00:00Z' })));
    expect(await find()).toMatchObject([
      {
        vex: { status: 'fixed', justification: null, by: 'Security team', trust: 'api_key', attestation_name: 'claim' },
      },
    ]);
    await send('in_toto', 'vex', signed(openVex(stated('not_affected', NOT_AFFECTED))));
    expect(await find()).toMatchObject([
      { vex: { status: 'not_affected', ...NOT_AFFECTED, by: 'release', trust: 'signature', attestation_name: 'vex' } },
    ]);
    await send('in_toto', 'vex', signed(openVex(stated('affected'))));
    expect(await find()).toMatchObject([{ vex: null }]);
  });

  it('excludes nothing if a stranger signed it', async () => {
    await send('in_toto', 'vex', signed(openVex(stated('fixed')), givenKeys.ed25519()));
    expect(await isCompliant(BY_DEFAULT)).toBe(false);
    expect(await isCompliant(BY_KEYS)).toBe(false);
  });

  it('excludes nothing any more once it is overridden', async () => {
    await send('in_toto', 'vex', signed(openVex(stated('fixed'))));
    const environment = await given(BY_DEFAULT);
    expect((await snapshotOf(environment)).compliant).toBe(true);
    const body = { attestation_name: 'vex', artifact_fingerprint: digest, original_attestation_type: 'in_toto' };
    const params = { flow_name: flow, trail_name: 't' };
    const sent = { params, body: { ...body, reason: 'It is wrong.', new_compliance_status: false } };
    expect(await api.call(attestOverride, sent)).toMatchObject({ status: 201 });
    expect((await snapshotOf(environment)).compliant).toBe(false);
  });

  it('excludes nothing any more once its content is erased', async () => {
    const answer = await send('in_toto', 'vex', signed(openVex(stated('fixed'))));
    const environment = await given(BY_DEFAULT);
    expect((await snapshotOf(environment)).compliant).toBe(true);
    const params = { attestation_id: attestationIdOf(answer) };
    expect(await api.call(eraseAttestation, { params, body: { reason: 'personal data' } })).toMatchObject({
      status: 200,
    });
    expect((await snapshotOf(environment)).compliant).toBe(false);
  });

  it('is decided again by anyone who has the package of the environment', async () => {
    await send('in_toto', 'vex', signed(openVex(stated('not_affected', NOT_AFFECTED))));
    const environment = await given(BY_DEFAULT);
    expect((await snapshotOf(environment)).compliant).toBe(true);
    await ledger.seal();
    const files = await environmentPackage(api, environment);
    const readings = [...files].filter(([path]) => path.startsWith('records/readings/'));
    expect(readings).toHaveLength(2);
    expect((await verifyFiles(files)).findings).toEqual([]);
    const [path = ''] = readings.find(([, bytes]) => bytes.includes('vex')) ?? [];
    files.delete(path);
    expect((await verifyFiles(files)).findings.map(({ problem }) => problem).join()).toContain('needs the reading');
  });

  it('is replayed without a difference, and agrees with the verdicts', async () => {
    await send('in_toto', 'vex', signed(openVex(stated('not_affected', NOT_AFFECTED))));
    await send('vex', 'more', openVex(stated('affected')));
    for (const rule of [BY_DEFAULT, BY_KEYS]) await snapshotOf(await given(rule));
    expect(await replayDecisions(api.db)).toMatchObject({ differences: 0, otherEngines: 0 });
    const named: string[] = [];
    await compareReadings(api.db, api.org.id, ({ column, says }) => named.push(`${column} ${says}`));
    expect(named).toEqual([]);
  });

  // The last one: the key is gone afterwards.
  it('excludes nothing any more once its signer is not trusted', async () => {
    await send('in_toto', 'vex', signed(openVex(stated('fixed'))));
    const environment = await given(BY_DEFAULT);
    expect((await snapshotOf(environment)).compliant).toBe(true);
    await api.call(removeTrustedKey, { params: { key_id: keyId } });
    expect((await snapshotOf(environment)).compliant).toBe(false);
  });
});
