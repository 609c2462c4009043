import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allowArtifact, getStatementKeys, getVerificationSummary } from '@waymark/contract';
import { judgeSummary, keyId, readPublicKeys } from '@waymark/verification-summary';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { attest, fingerprint, givenArtifact, givenFlow } from '../../../../test/given/evidence.ts';
import { givenFeed } from '../../../../test/given/feed.ts';
import { attestationPolicy, givenAttached, givenPolicy } from '../../../../test/given/policies.ts';
import { startApi } from '../../../../test/harness.ts';

const KEYS = [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, generateKeyPairSync('ed25519').privateKey];
const api = await startApi({ statementKeys: KEYS });
const unsigned = await startApi();
const foreign = await api.givenOrg('foreign');
const TESTS = attestationPolicy('{ name: unit-tests, type: generic }');

interface Envelope {
  payloadType: string;
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

const ask = (digit: string, environment_name: string, key = api.org.keys.reader) =>
  api.call(getVerificationSummary, { params: { fingerprint: fingerprint(digit) }, query: { environment_name }, key });

async function signed(digit: string, environment = 'prod'): Promise<Envelope> {
  const { status, body } = await ask(digit, environment);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body as Envelope;
}

function statementIn({ payload }: Envelope) {
  return JSON.parse(Buffer.from(payload, 'base64').toString()) as Record<string, unknown>;
}

async function keysOf(): Promise<string> {
  const { status, body } = await api.call(getStatementKeys, { key: '' });
  expect(status).toBe(200);
  return body as string;
}

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  await givenPolicy(api, 'tests', TESTS);
  for (const name of ['prod', 'free']) await givenEnvironment(api, name);
  await givenAttached(api, 'prod', ['tests']);
  for (const digit of ['a', 'b']) {
    await givenArtifact(api, 'web', digit, { trail_name: digit, filename: `${digit}.tgz` });
    await attest(api, 'web', digit, {
      attestation_name: 'unit-tests',
      is_compliant: digit === 'a',
      artifact_fingerprint: fingerprint(digit),
    });
  }
  await givenFeed(api).untilDone();
});

describe('the signed verdict', () => {
  it('says what was judged, by what, from what, and when', async () => {
    const envelope = await signed('a');
    expect(envelope.payloadType).toBe('application/vnd.in-toto+json');
    expect(envelope.signatures).toMatchObject([{ keyid: keyId(createPublicKey(KEYS[0] ?? '')) }]);
    const digest = hash('sha256', TESTS);
    expect(statementIn(envelope)).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'a.tgz', digest: { sha256: fingerprint('a') } }],
      predicateType: 'https://slsa.dev/verification_summary/v1',
      predicate: {
        verifier: { id: 'http://waymark.test', version: { waymark: expect.any(String) } },
        timeVerified: api.clock.now.toISOString(),
        resourceUri: 'http://waymark.test/acme/environments/prod',
        policy: {
          uri: 'http://waymark.test/acme/environments/prod/policies',
          digest: { sha256: hash('sha256', `tests 1 ${digest}\n`) },
        },
        inputAttestations: [
          {
            uri: expect.stringContaining('/attestations/acme?attestation_id='),
            digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
          },
        ],
        verificationResult: 'PASSED',
        verifiedLevels: ['WAYMARK_ENVIRONMENT_COMPLIANT'],
        slsaVersion: '1.1',
        'https://waymark.dev/verification_summary/details/v1': {
          compliance: 'compliant',
          because: "Policy 'tests' (version 1) is satisfied.",
          org: 'acme',
          environment: 'prod',
          policies: [
            { name: 'tests', version: 1, digest: { sha256: digest }, result: 'PASSED', decision: expect.any(String) },
          ],
          waiver: null,
        },
      },
    });
  });

  it('of an artifact that is not compliant says FAILED', async () => {
    expect(statementIn(await signed('b'))).toMatchObject({
      predicate: { verificationResult: 'FAILED', verifiedLevels: ['FAILED'] },
    });
  });

  it('names the waiver', async () => {
    await givenArtifact(api, 'web', 'c', { trail_name: 'c' });
    const body = { artifact_fingerprint: fingerprint('c'), artifact_name: 'c', description: 'Hotfix' };
    await api.call(allowArtifact, { params: { env_name: 'prod' }, body });
    expect(statementIn(await signed('c'))).toMatchObject({
      predicate: {
        verificationResult: 'PASSED',
        'https://waymark.dev/verification_summary/details/v1': {
          compliance: 'waived',
          because: 'Waived by acme-admin: Hotfix',
          waiver: expect.any(String),
        },
      },
    });
  });

  it('is verified with the published keys alone', async () => {
    const keys = readPublicKeys(await keysOf());
    const expected = {
      fingerprint: fingerprint('a'),
      org: 'acme',
      environment: 'prod',
      maxAgeSeconds: 60,
      keys,
      now: api.clock.now,
    };
    const text = JSON.stringify(await signed('a'));
    expect(judgeSummary(text, expected)).toMatchObject({ result: 'passed' });
    expect(judgeSummary(text, { ...expected, keys: keys.slice(1) })).toMatchObject({ result: 'unusable' });
  });

  it('is verified by OpenSSL', async () => {
    const { payloadType, payload, signatures } = await signed('a');
    const directory = mkdtempSync(join(tmpdir(), 'waymark-vsa-'));
    const write = (name: string, content: string | Buffer) => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    };
    try {
      const [newest = ''] = (await keysOf()).split(/(?<=-----END PUBLIC KEY-----\n)/);
      const body = Buffer.from(payload, 'base64');
      const signedBytes = Buffer.concat([
        Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `),
        body,
      ]);
      const files = [
        ...['-verify', write('key.pem', newest)],
        ...['-signature', write('sig', Buffer.from(signatures[0]?.sig ?? '', 'base64'))],
      ];
      const output = execFileSync('openssl', ['dgst', '-sha256', ...files, write('signed', signedBytes)]);
      expect(output.toString()).toBe('Verified OK\n');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('there is no signed verdict', () => {
  it('where no policy is attached', async () => {
    expect(await ask('a', 'free')).toMatchObject({
      status: 409,
      body: { message: "No policy is attached to environment 'free', so there is no verdict to sign" },
    });
  });

  it('on what does not exist', async () => {
    expect(await ask('9', 'prod')).toMatchObject({ status: 404 });
    expect(await ask('a', 'nowhere')).toMatchObject({ status: 404 });
  });

  it('without an environment, or with a name that is none', async () => {
    expect(await ask('a', '../x')).toMatchObject({ status: 400 });
    const without = { params: { fingerprint: fingerprint('a') }, query: {} as never };
    expect(await api.call(getVerificationSummary, without)).toMatchObject({ status: 400 });
  });

  it('for another org', async () => {
    expect(await ask('a', 'prod', foreign.keys.admin)).toMatchObject({ status: 403 });
  });

  it('in an installation without a key', async () => {
    const params = { fingerprint: fingerprint('a') };
    const asked = await unsigned.call(getVerificationSummary, { params, query: { environment_name: 'prod' } });
    expect(asked).toMatchObject({
      status: 404,
      body: { message: 'This installation signs no statements, because it has no key for them' },
    });
    expect(await unsigned.call(getStatementKeys, { key: '' })).toMatchObject({ status: 404 });
  });
});

it.each(Object.entries(api.org.keys))('every role may read it: %s', async (_, key) => {
  expect(await ask('a', 'prod', key)).toMatchObject({ status: 200 });
});
