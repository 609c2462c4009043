import { expect, it } from 'vitest';
import type { Message, MessageContent } from './content.ts';
import { linkOf, webhookBody } from './webhook-body.ts';

const URL = 'https://waymark.example.com';
const NOTHING: MessageContent = {
  environment: null,
  flow: null,
  snapshot: null,
  artifact: null,
  trail: null,
  attestation: null,
  apiKey: null,
  names: [],
  why: null,
};
const fingerprint = 'a'.repeat(64);
const artifact = {
  name: 'registry/web:2',
  fingerprint,
  compliant: false,
  provenance: {
    flow: 'web',
    trail: 't1',
    commit: 'c'.repeat(40),
    commitUrl: 'https://git.example.com/c',
    buildUrl: 'https://ci.example.com/1',
    artifactId: 'artifact-1',
  },
};

function message(trigger: Message['trigger'], content: Partial<MessageContent>): Message {
  return { id: 'd1', org: 'acme', trigger, sequence: 7, count: 1, timestamp: 1.5, content: { ...NOTHING, ...content } };
}

it('describes an environment in version 1.0', () => {
  const started = message('ON_STARTED_ARTIFACT', {
    environment: 'prod',
    snapshot: { index: 3, status: 'non-compliant' },
    artifact,
    names: ['registry/web:2'],
  });
  expect(webhookBody(started, URL)).toEqual({
    version: '1.0',
    id: 'd1',
    sequence: 7,
    count: 1,
    timestamp: 1.5,
    org: 'acme',
    event_type: 'ON_STARTED_ARTIFACT',
    description: 'registry/web:2 started in prod and is not compliant',
    environment: 'prod',
    snapshot: {
      index: 3,
      status: 'non-compliant',
      html_url: `${URL}/acme/environments/prod/snapshots/3`,
      api_url: `${URL}/api/v2/snapshots/acme/prod/3`,
    },
    artifact: {
      name: 'registry/web:2',
      fingerprint,
      compliant: false,
      provenance: {
        flow: 'web',
        trail: 't1',
        commit: 'c'.repeat(40),
        commit_url: 'https://git.example.com/c',
        build_url: 'https://ci.example.com/1',
        html_url: `${URL}/acme/flows/web/artifacts/${fingerprint}?artifact_id=artifact-1`,
      },
    },
    artifacts: [{ name: 'registry/web:2', fingerprint, compliant: false }],
  });
  expect(linkOf(started, URL)).toBe(`${URL}/acme/environments/prod/snapshots/3`);
  expect(linkOf(message('ON_ALLOWED_ARTIFACT', { environment: 'prod' }), URL)).toBe(`${URL}/acme/environments/prod`);
});

it('describes a flow with its trail and attestation', () => {
  const attestation = { id: 'a1', name: 'scan', type: 'snyk', compliant: true };
  const attested = message('ON_ATTESTATION', {
    flow: 'web',
    trail: { name: 't1', compliant: null },
    attestation,
    names: ['scan'],
  });
  expect(webhookBody(attested, URL)).toMatchObject({
    environment: null,
    snapshot: null,
    artifact: null,
    artifacts: [],
    flow: 'web',
    trail: {
      name: 't1',
      html_url: `${URL}/acme/flows/web/trails/t1`,
      api_url: `${URL}/api/v2/trails/acme/web/t1`,
    },
    attestation,
  });
  expect(linkOf(attested, URL)).toBe(`${URL}/acme/flows/web/trails/t1`);
  const reported = message('ON_ATTESTED_PROVENANCE', { flow: 'web', trail: { name: 't1', compliant: null }, artifact });
  expect(linkOf(reported, URL)).toBe(`${URL}/acme/flows/web/artifacts/${fingerprint}?artifact_id=artifact-1`);
});

it('describes an expiring key, and nothing in a test', () => {
  const apiKey = { id: 'k1', description: 'deploy', owner: 'ci-bot', expiresAt: 1_700_000_000, daysLeft: 7 };
  const expiring = message('api_key_expiry', { apiKey });
  expect(webhookBody(expiring, URL)).toEqual({
    version: '1.0',
    id: 'd1',
    sequence: 7,
    count: 1,
    timestamp: 1.5,
    org: 'acme',
    event_type: 'api_key_expiry',
    description: "API key 'deploy' of ci-bot expires in 7 days",
    environment: null,
    snapshot: null,
    artifact: null,
    artifacts: [],
    api_key: { id: 'k1', description: 'deploy', owner: 'ci-bot', expires_at: 1_700_000_000, days_left: 7 },
  });
  expect(linkOf(expiring, URL)).toBe(`${URL}/acme/settings/keys`);
  expect(webhookBody({ ...message('TEST', {}), sequence: null }, URL)).toMatchObject({
    sequence: null,
    artifact: null,
  });
  expect(linkOf(message('TEST', {}), URL)).toBe(`${URL}/acme`);
});

it('names up to 20 artifacts, newest last, and only those with an event', () => {
  const artifacts = Array.from({ length: 40 }, (_, i) => ({ name: `web-${i}`, fingerprint, compliant: null }));
  const artifactsSent = (trigger: Message['trigger'], content: Partial<MessageContent>) =>
    webhookBody(message(trigger, content), URL).artifacts.map(({ name }) => name);
  const last = Array.from({ length: 20 }, (_, i) => `web-${i + 20}`);
  expect(artifactsSent('ON_EXITED_ARTIFACT', { artifacts })).toEqual(last);
  expect(artifactsSent('ON_ATTESTED_PROVENANCE', { artifact })).toEqual(['registry/web:2']);
  for (const trigger of ['ON_NON_COMPLIANT_ENV', 'ON_ATTESTATION', 'TEST'] as const) {
    expect(artifactsSent(trigger, { artifact })).toEqual([]);
  }
  const long = artifacts.map((one) => ({ ...one, name: '漢'.repeat(3_000), fingerprint: 'x'.repeat(3_000) }));
  const urls = { commitUrl: `https://g/${'c'.repeat(2_900)}`, buildUrl: `https://g/${'b'.repeat(2_900)}` };
  const body = webhookBody(
    message('ON_STARTED_ARTIFACT', {
      artifact: { ...artifact, provenance: { ...artifact.provenance, ...urls } },
      artifacts: long,
    }),
    URL,
  );
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(20_000);
  expect(body.artifacts.length).toBeGreaterThan(5);
});

it('leaves out a URL that is too long, and cuts a name in its middle', () => {
  const long = { ...artifact, name: `first ${'x'.repeat(9_000)} last` };
  const provenance = { ...artifact.provenance, buildUrl: `https://ci.example.com/${'y'.repeat(5_000)}` };
  const body = webhookBody(message('ON_STARTED_ARTIFACT', { artifact: { ...long, provenance } }), URL);
  expect(body.artifact?.name).toMatch(/^first x+…x+ last$/);
  expect(body.artifact?.provenance?.build_url).toBe('');
});
