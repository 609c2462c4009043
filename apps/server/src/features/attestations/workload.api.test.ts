import { generateKeyPairSync, hash, sign } from 'node:crypto';
import {
  type Attestation,
  addTrustedKey,
  addWorkloadIdentity,
  attestGeneric,
  attestOverride,
  exchangeToken,
  listFlowAttestations,
} from '@waymark/contract';
import canonicalize from 'canonicalize';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { fingerprint, givenArtifact, givenFlow, givenTrail, sendForm } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';
import { startCiIssuer } from '../../../test/oidc/ci-issuer.ts';

const api = await startApi();
const issuer = await startCiIssuer({ now: () => api.clock.now, audience: 'http://waymark.test/acme' });
afterAll(() => issuer.close());

const { body: identity } = await api.call(addWorkloadIdentity, {
  body: { name: 'ci', service_account: 'member', issuer: issuer.url, claims: { repository_id: '1296269' } },
});
const jobKey = async () =>
  (await api.call(exchangeToken, { key: '', body: { token: await issuer.mint({ claims: { jti: `job-${flow}` } }) } }))
    .body.key;

let flow = '';
let count = 0;
beforeEach(async () => {
  flow = `by-job-${++count}`;
  await givenFlow(api, flow, 'version: 1\n');
  await givenTrail(api, flow, 't');
});

const attestAs = (key: string, name: string) =>
  api.call(attestGeneric, {
    key,
    params: { flow_name: flow, trail_name: 't' },
    body: { attestation_name: name, is_compliant: false },
  });
async function recorded(): Promise<Attestation[]> {
  const { body } = await api.call(listFlowAttestations, { params: { flow_name: flow } });
  return body;
}
async function entriesOf(type: string) {
  const rows = await api.db
    .selectFrom('journal')
    .select(['version', 'payload'])
    .where('org_id', '=', api.org.id)
    .where('type', '=', type)
    .execute();
  return rows
    .map(({ version, payload }) => ({ version, payload: JSON.parse(payload ?? '{}') as Record<string, unknown> }))
    .filter(({ payload }) => payload['flow'] === flow);
}

it('an attestation by a job is backed by its identity, and shows what was verified', async () => {
  expect((await attestAs(await jobKey(), 'scan')).status).toBe(201);
  const [shown] = await recorded();
  expect(shown).toMatchObject({
    trust: 'workload_identity',
    reported_by: 'member',
    workload: {
      identity: identity.id,
      issuer: issuer.url,
      subject: 'repo:acme/web:ref:refs/heads/main',
      jti: `job-${flow}`,
      claims: { repository_id: '1296269', ref: 'refs/heads/main', sha: 'c'.repeat(40), run_id: '42' },
    },
  });
  expect(await entriesOf('attestation.recorded')).toMatchObject([
    {
      version: 4,
      payload: {
        trust: 'workload_identity',
        workload_sha256: hash('sha256', canonicalize(shown?.workload) ?? ''),
      },
    },
  ]);
});

it('a concurrent one by an ordinary key has no identity', async () => {
  const key = await jobKey();
  const names = Array.from({ length: 8 }, (_, i) => `n-${i}`);
  const answers = await Promise.all(names.map((name, i) => attestAs(i % 2 ? key : api.org.keys.member, name)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const shown = new Map((await recorded()).map((one) => [one.attestation_name, one]));
  for (const [i, name] of names.entries()) {
    expect(shown.get(name)).toMatchObject(
      i % 2 ? { trust: 'workload_identity', workload: { jti: `job-${flow}` } } : { trust: 'api_key', workload: null },
    );
  }
  const entries = await entriesOf('attestation.recorded');
  expect(entries.filter(({ payload }) => 'workload_sha256' in payload)).toHaveLength(4);
});

it('an override by a job carries it as well', async () => {
  const key = await jobKey();
  await attestAs(api.org.keys.member, 'scan');
  const answer = await api.call(attestOverride, {
    key,
    params: { flow_name: flow, trail_name: 't' },
    body: {
      attestation_name: 'scan',
      original_attestation_type: 'generic',
      new_compliance_status: true,
      reason: 'known',
    },
  });
  expect(answer).toMatchObject({ status: 201 });
  expect(await entriesOf('attestation.overridden')).toMatchObject([
    { version: 4, payload: { trust: 'workload_identity', workload_sha256: expect.any(String) } },
  ]);
});

it('a verified signature ranks higher, and the job is shown as well', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  await api.call(addTrustedKey, {
    body: { name: flow, public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
  });
  await givenArtifact(api, flow, 'a', { trail_name: 't' });
  const statement = Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'app', digest: { sha256: fingerprint('a') } }],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {},
    }),
  );
  const payloadType = 'application/vnd.in-toto+json';
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${statement.length} `),
    statement,
  ]);
  const content = JSON.stringify({
    payloadType,
    payload: statement.toString('base64'),
    signatures: [{ sig: sign(null, signed, privateKey).toString('base64') }],
  });
  const answer = await sendForm(
    api,
    'POST',
    `/attestations/acme/${flow}/trail/t/in_toto`,
    { data_json: { attestation_name: 'build', artifact_fingerprint: fingerprint('a') } },
    { part: 'attachment_file', name: 'build.json', content },
    { authorization: `Bearer ${await jobKey()}` },
  );
  expect(answer).toMatchObject({ status: 201 });
  expect((await recorded())[0]).toMatchObject({ trust: 'signature', workload: { jti: `job-${flow}` } });
});
