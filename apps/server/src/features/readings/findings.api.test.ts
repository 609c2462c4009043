import { createHash, randomUUID } from 'node:crypto';
import { attestOverride, getSnapshot, type Snapshot, searchFindings } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { givenArtifact, givenFlow, sendForm } from '../../../test/given/evidence.ts';
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
const DAY_MS = 86_400_000;

let flow = '';
let digest = '';
let count = 0;
beforeEach(async () => {
  flow = `scanned-${++count}`;
  digest = createHash('sha256').update(flow).digest('hex');
  await givenFlow(api, flow, 'version: 1\n');
  await givenArtifact(api, flow, 'a', { trail_name: 't', fingerprint: digest });
});

const vulnerability = (id: string, Severity: string, more: object = {}) => ({
  ...{ VulnerabilityID: id, PkgName: 'lodash', InstalledVersion: '4.17.20', Severity },
  ...{ PkgIdentifier: { PURL: 'pkg:npm/lodash@4.17.20' }, FixedVersion: '4.17.21', Title: 'Injection' },
  ...more,
});

const trivy = (...Vulnerabilities: object[]) =>
  JSON.stringify({
    SchemaVersion: 2,
    ArtifactName: 'web',
    Results: [{ Target: 'package-lock.json', Vulnerabilities }],
  });

const scan = (content: string, more: object = {}, headers: Record<string, string> = {}, trail = 't') =>
  sendForm(
    api,
    'POST',
    `/attestations/acme/${flow}/trail/${trail}/snyk`,
    { data_json: { attestation_name: 'scan', artifact_fingerprint: digest, ...more } },
    { part: 'attachment_file', name: 'trivy.json', content },
    headers,
  );

interface FoundPage {
  readonly data: {
    readonly attestation_id: string;
    readonly flow_name: string;
    readonly finding: { readonly id: string; readonly severity: string; readonly first_seen_at: number };
  }[];
  readonly pagination: { readonly next: string | null };
}

async function search(query: Record<string, string>): Promise<FoundPage> {
  const answer = await api.call(searchFindings, { query });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body as FoundPage;
}

describe('findings of a scan', () => {
  it('are found by id, alias, and component, in any case', async () => {
    const id = `CVE-2026-${count}00`;
    expect((await scan(trivy(vulnerability(id, 'HIGH', { VendorIDs: [`GHSA-${count}`] })))).status).toBe(201);
    const [found] = (await search({ id: id.toLowerCase() })).data;
    expect(found).toMatchObject({
      attestation_name: 'scan',
      flow_name: flow,
      trail_name: 't',
      artifact_fingerprint: digest,
      finding: {
        id,
        aliases: [`GHSA-${count}`],
        severity: 'high',
        score: null,
        component: 'pkg:npm/lodash@4.17.20',
        fixed_version: '4.17.21',
        location: null,
        title: 'Injection',
        first_seen_at: Math.floor(api.clock.now.getTime() / 1000),
      },
    });
    expect((await search({ id: `ghsa-${count}` })).data).toHaveLength(1);
    expect((await search({ component: 'pkg:npm/lodash@9' })).data.length).toBeGreaterThan(0);
    expect((await search({ id: 'CVE-2026' })).data).toEqual([]);
    expect((await search({ attestation_id: found?.attestation_id ?? '' })).data).toHaveLength(1);
    expect((await search({ attestation_id: randomUUID() })).data).toEqual([]);
  });

  it('are listed in pages, worst first, of one severity if asked', async () => {
    const many = Array.from({ length: 7 }, (_, i) => vulnerability(`CVE-${count}-${i}`, i < 3 ? 'LOW' : 'HIGH'));
    await scan(trivy(...many));
    await scan(trivy(...many));
    const all: string[] = [];
    let after: string | undefined;
    do {
      const page = await search({ component: 'pkg:npm/lodash', per_page: '3', ...(after && { after }) });
      all.push(...page.data.filter((one) => one.flow_name === flow).map(({ finding }) => finding.id));
      after = page.pagination.next ?? undefined;
    } while (after !== undefined && all.length < 14);
    const once = [3, 4, 5, 6, 0, 1, 2].map((i) => `CVE-${count}-${i}`);
    expect(all).toEqual([...once, ...once]);
    expect((await search({ id: `CVE-${count}-0`, severity: 'high' })).data).toEqual([]);
    expect((await search({ id: `CVE-${count}-0`, severity: 'low' })).data).toHaveLength(2);
  });

  it.each<Record<string, string>>([
    {},
    { id: 'a', component: 'b' },
    { id: '' },
    { id: 'x'.repeat(201) },
    { attestation_id: 'x' },
    { id: 'a', severity: 'severe' },
  ])('are not searched by %o', async (query) => {
    expect(await api.call(searchFindings, { query })).toMatchObject({ status: 400 });
  });

  it('are those of the org', async () => {
    await scan(trivy(vulnerability(`CVE-own-${count}`, 'HIGH')));
    const query = { id: `CVE-own-${count}` };
    const asOther = { query, params: { org: other.name }, key: other.keys.reader };
    expect(await api.call(searchFindings, asOther)).toMatchObject({ status: 200, body: { data: [] } });
    expect(await api.call(searchFindings, { query, key: other.keys.admin })).toMatchObject({ status: 403 });
    expect(await api.call(searchFindings, { query, key: '' })).toMatchObject({ status: 401 });
  });

  it('are dated by the first report in this flow under this name, also in another version', async () => {
    const id = `CVE-first-${count}`;
    await scan(trivy(vulnerability(id, 'HIGH')));
    const first = Math.floor(api.clock.now.getTime() / 1000);
    api.clock.now = new Date(api.clock.now.getTime() + DAY_MS);
    const PkgIdentifier = { PURL: 'pkg:npm/lodash@4.17.19' };
    await scan(trivy(vulnerability(id, 'HIGH', { PkgIdentifier }), vulnerability(`${id}-new`, 'LOW')));
    expect((await search({ id })).data.map(({ finding }) => finding.first_seen_at)).toEqual([first, first]);
    expect((await search({ id: `${id}-new` })).data[0]?.finding.first_seen_at).toBe(first + 86_400);
    await scan(trivy(vulnerability(id, 'HIGH')), { artifact_fingerprint: undefined });
    expect((await search({ id })).data[0]?.finding.first_seen_at).toBe(first + 86_400);
  });

  it('are stored once for one evidence id, however often it is sent, and at once', async () => {
    const id = `CVE-once-${count}`;
    const headers = { 'waymark-evidence-id': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => scan(trivy(vulnerability(id, 'LOW')), {}, headers)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await search({ id })).data).toHaveLength(1);
  });

  it('are stored with a new flow and trail, and once for the same scan', async () => {
    const id = `CVE-shared-${count}`;
    flow = `made-${count}`;
    const more = { artifact_fingerprint: undefined };
    expect((await scan(trivy(vulnerability(id, 'LOW')), more)).status).toBe(201);
    expect((await scan(trivy(vulnerability(id, 'LOW')), more, {}, 'u')).status).toBe(201);
    expect((await search({ id })).data).toHaveLength(2);
    const { rows } = await sql`select from reading where org_id = ${api.org.id} and content like ${`%${id}%`}`.execute(
      api.db,
    );
    expect(rows).toHaveLength(1);
  });

  it('agree with the verdicts, and a changed row is named', async () => {
    await scan(trivy(vulnerability('CVE-1', 'LOW')));
    const check = async () => {
      const named: string[] = [];
      await compareReadings(api.db, api.org.id, ({ column, says }) => named.push(`${column} ${says}`));
      return named;
    };
    expect(await check()).toEqual([]);
    await sql`update attestation_reading set size = size + 1 where org_id = ${api.org.id}`.execute(api.db);
    expect((await check())[0]).toMatch(/^size is \d+, but the reading has \d+ items$/);
    await sql`update attestation_reading set size = size - 1 where org_id = ${api.org.id}`.execute(api.db);
  });
});

describe('licenses of an SBOM', () => {
  const send = (...licenses: (string | undefined)[]) =>
    sendForm(
      api,
      'POST',
      `/attestations/acme/${flow}/trail/t/sbom`,
      { data_json: { attestation_name: 'bom', artifact_fingerprint: digest } },
      {
        ...{ part: 'attachment_file', name: 'bom.json' },
        content: JSON.stringify({
          ...{ bomFormat: 'CycloneDX', specVersion: '1.6' },
          components: licenses.map((expression, i) => ({
            ...{ type: 'library', name: `lib-${i}`, version: '1' },
            ...(expression && { licenses: [{ expression }] }),
          })),
        }),
      },
    );
  const DENY = '{ type: sbom, licenses: { deny: [GPL-*] } }';

  it('are judged, and a new SBOM again', async () => {
    await send('MIT', 'MIT OR GPL-3.0-only', 'MIT AND GPL-2.0+');
    const environment = await given(DENY);
    const failing = await snapshotOf(environment);
    expect(failing.compliant).toBe(false);
    expect(JSON.stringify(failing)).toContain("'bom' has 1 license that is not allowed: GPL-2.0-or-later (lib-2@1)");
    await send('MIT', 'MIT OR GPL-3.0-only');
    expect((await snapshotOf(environment)).compliant).toBe(true);
  });

  it('are missing where the SBOM has none', async () => {
    await send(undefined);
    expect(JSON.stringify(await snapshotOf(await given(DENY)))).toContain("'bom' has no licenses that can be read");
  });

  it('do not matter where the SBOM was overridden', async () => {
    await send('GPL-3.0-only');
    const environment = await given(DENY);
    expect((await snapshotOf(environment)).compliant).toBe(false);
    const body = { attestation_name: 'bom', artifact_fingerprint: digest, original_attestation_type: 'sbom' };
    const params = { flow_name: flow, trail_name: 't' };
    const sent = { params, body: { ...body, reason: 'It is only used in tests.', new_compliance_status: true } };
    expect(await api.call(attestOverride, sent)).toMatchObject({ status: 201 });
    expect((await snapshotOf(environment)).compliant).toBe(true);
  });

  it('are replayed without a difference', async () => {
    await send('MIT', 'GPL-2.0-only', undefined);
    await snapshotOf(await given(DENY));
    await snapshotOf(await given('{ type: sbom, licenses: { allow: [MIT] } }'));
    expect(await replayDecisions(api.db)).toMatchObject({ differences: 0, otherEngines: 0 });
  });
});

describe('findings of an SBOM', () => {
  const bom = (id: string, severity: string) => ({
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6' },
    components: [
      { type: 'library', 'bom-ref': 'a', name: 'lodash', version: '4.17.20', purl: 'pkg:npm/lodash@4.17.20' },
    ],
    vulnerabilities: [{ id, ratings: [{ severity }], affects: [{ ref: 'a' }] }],
  });
  const send = (document: object) =>
    sendForm(
      api,
      'POST',
      `/attestations/acme/${flow}/trail/t/sbom`,
      { data_json: { attestation_name: 'bom', artifact_fingerprint: digest } },
      { part: 'attachment_file', name: 'bom.json', content: JSON.stringify(document) },
    );

  it('are found and judged', async () => {
    const id = `CVE-bom-${count}`;
    expect((await send(bom(id, 'critical'))).status).toBe(201);
    expect((await search({ id })).data).toMatchObject([{ flow_name: flow, finding: { id, severity: 'critical' } }]);
    const environment = await given('{ type: sbom, findings: { max: { critical: 0 } } }');
    expect((await snapshotOf(environment)).compliant).toBe(false);
    await send(bom(id, 'low'));
    expect((await snapshotOf(environment)).compliant).toBe(true);
    expect(await replayDecisions(api.db)).toMatchObject({ differences: 0, otherEngines: 0 });
  });

  it('are missing where the SBOM lists none', async () => {
    const { vulnerabilities: _, ...without } = bom('', '');
    await send(without);
    const failing = await snapshotOf(await given('{ type: sbom, findings: { max: { critical: 0 } } }'));
    expect(JSON.stringify(failing)).toContain("'bom' has no findings that can be read");
  });
});

const RULE = '{ type: snyk, findings: { max: { critical: 0, high: 0 }, grace_days: { high: 7 } } }';

async function given(rule = RULE): Promise<string> {
  const name = `e-${randomUUID()}`;
  await givenPolicy(api, name, attestationPolicy(rule));
  await givenEnvironment(api, name);
  await givenAttached(api, name, [name]);
  await givenRunning(api, name, { web: digest });
  return name;
}

async function snapshotOf(environment: string): Promise<Snapshot> {
  await settle();
  return latestOf(environment);
}

async function latestOf(environment: string): Promise<Snapshot> {
  const { body } = await api.call(getSnapshot, { params: { env_name: environment, snapshot_expression: '-1' } });
  return body as Snapshot;
}

describe('a policy with limits', () => {
  it('judges each finding, and a new scan again', async () => {
    await scan(trivy(vulnerability('CVE-c', 'CRITICAL')));
    const environment = await given();
    const failing = await snapshotOf(environment);
    expect(failing.compliant).toBe(false);
    expect(JSON.stringify(failing)).toContain("'scan' has 1 critical finding, and none is allowed");
    await scan(trivy(vulnerability('CVE-m', 'MEDIUM')));
    expect((await snapshotOf(environment)).compliant).toBe(true);
  });

  it('counts a finding when its days of grace are over', async () => {
    await scan(trivy(vulnerability('CVE-h', 'HIGH')));
    const environment = await given();
    expect((await snapshotOf(environment)).compliant).toBe(true);
    api.clock.now = new Date(api.clock.now.getTime() + 8 * DAY_MS);
    const late = await given();
    // Without the worker, which has another clock.
    expect((await latestOf(late)).compliant).toBe(false);
  });

  it('accepts what was overridden as compliant', async () => {
    await scan(trivy(vulnerability('CVE-c', 'CRITICAL')));
    const environment = await given();
    expect((await snapshotOf(environment)).compliant).toBe(false);
    const body = {
      ...{ attestation_name: 'scan', original_attestation_type: 'snyk', artifact_fingerprint: digest },
      ...{ new_compliance_status: true, reason: 'It is not reachable.' },
    };
    await api.call(attestOverride, { params: { flow_name: flow, trail_name: 't' }, body });
    expect((await snapshotOf(environment)).compliant).toBe(true);
  });

  it('counts numbers that were sent without a list', async () => {
    const body = {
      ...{ attestation_name: 'scan', artifact_fingerprint: digest },
      snyk_results: { results: [{ high_count: 0, medium_count: 1, low_count: 0, critical_count: 1 }] },
    };
    await sendForm(api, 'POST', `/attestations/acme/${flow}/trail/t/snyk`, { data_json: body });
    expect((await snapshotOf(await given())).compliant).toBe(false);
    expect((await snapshotOf(await given('{ type: snyk, findings: { max: { high: 0 } } }'))).compliant).toBe(true);
  });

  it('is decided again by anyone who has the package of the environment, which contains the findings', async () => {
    await scan(trivy(vulnerability('CVE-c', 'CRITICAL')));
    const environment = await given();
    await snapshotOf(environment);
    await ledger.seal();
    const files = await environmentPackage(api, environment);
    const readings = [...files].filter(([path]) => path.startsWith('records/readings/'));
    expect(readings).toHaveLength(1);
    const verdict = await verifyFiles(files);
    expect(verdict.findings).toEqual([]);
    expect(verdict.recomputed.join()).toContain('policy decision');
    for (const [path] of readings) files.delete(path);
    const without = await verifyFiles(files);
    expect(without.findings.map(({ problem }) => problem).join()).toContain('needs the reading');
  });

  it('is replayed without a difference', async () => {
    await scan(trivy(vulnerability('CVE-c', 'CRITICAL'), vulnerability('CVE-h', 'HIGH')));
    await snapshotOf(await given());
    expect(await replayDecisions(api.db)).toMatchObject({ differences: 0, otherEngines: 0 });
  });
});
