import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signEnvelope } from './envelope.ts';
import { judgeSummary } from './judge-summary.ts';
import { readPrivateKeys, readPublicKeys } from './keys.ts';
import { type Facts, PAYLOAD_TYPE, summaryOf } from './summary.ts';

const FINGERPRINT = 'a'.repeat(64);
const RESOURCE = 'https://waymark.example.com/acme/environments/prod';
const AT = new Date('2026-11-01T08:00:00Z');
const KEYS = {
  Ed25519: generateKeyPairSync('ed25519').privateKey,
  'ECDSA with P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
};
const { privateKey: OTHER } = generateKeyPairSync('ed25519');

function facts(changed: Partial<Facts> = {}): Facts {
  return {
    artifact: { name: 'shop.tgz', fingerprint: FINGERPRINT },
    verifier: 'https://waymark.example.com',
    verifierVersion: '1.0.0',
    at: AT,
    resource: RESOURCE,
    policy: { uri: `${RESOURCE}/policies`, sha256: 'b'.repeat(64) },
    inputs: [{ uri: 'https://waymark.example.com/attestations/1', sha256: 'c'.repeat(64) }],
    details: {
      compliance: 'compliant',
      because: "Policy 'production' (version 1) is satisfied.",
      org: 'acme',
      environment: 'prod',
      policies: [
        {
          name: 'production',
          version: 1,
          digest: { sha256: 'd'.repeat(64) },
          result: 'PASSED',
          decision: 'decision-1',
        },
      ],
      waiver: null,
    },
    ...changed,
  };
}

function signed(key: KeyObject, statement: unknown = summaryOf(facts()), type = PAYLOAD_TYPE): string {
  return JSON.stringify(signEnvelope(type, Buffer.from(JSON.stringify(statement)), key));
}

function judge(text: string, key: KeyObject, after = 60) {
  return judgeSummary(text, {
    fingerprint: FINGERPRINT,
    org: 'acme',
    environment: 'prod',
    maxAgeSeconds: 3600,
    keys: [createPublicKey(key)],
    now: new Date(AT.getTime() + after * 1000),
  });
}

describe.each(Object.entries(KEYS))('a summary signed with %s', (_, key) => {
  it('passes', () => {
    expect(judge(signed(key), key)).toMatchObject({ result: 'passed', ageSeconds: 60 });
  });

  it('passes with a waiver, and fails when not compliant', () => {
    const { details } = facts();
    const of = (compliance: 'waived' | 'non-compliant') => summaryOf(facts({ details: { ...details, compliance } }));
    expect(judge(signed(key, of('waived')), key)).toMatchObject({ result: 'passed' });
    expect(judge(signed(key, of('non-compliant')), key)).toMatchObject({
      result: 'failed',
      summary: { predicate: { verificationResult: 'FAILED', verifiedLevels: ['FAILED'] } },
    });
  });

  it.each([
    ['its last second', 3600, 'passed'],
    ['a second later', 3601, 'unusable'],
    ['a clock that is a few minutes behind', -299, 'passed'],
    ['a clock that is far behind', -301, 'unusable'],
  ])('has a time: %s', (_when, after, result) => {
    expect(judge(signed(key), key, after).result).toBe(result);
  });

  it.each([
    ['another key', signed(OTHER), 'No given key made a signature'],
    ['no JSON', 'text', 'not a DSSE envelope'],
    ['no envelope', '{"payload":"e30="}', 'not a DSSE envelope'],
    ['another payload type', signed(key, summaryOf(facts()), 'text/plain'), 'no in-toto statement'],
    ['another predicate', signed(key, { ...summaryOf(facts()), predicateType: 'x' }), 'not a verification summary'],
    [
      'another artifact',
      signed(key, summaryOf(facts({ artifact: { name: '', fingerprint: 'e'.repeat(64) } }))),
      'another artifact',
    ],
    ['another environment', signed(key, summaryOf(facts({ resource: `${RESOURCE}-2` }))), `about ${RESOURCE}-2`],
  ])('is not used: %s', (_what, text, because) => {
    expect(judge(text, key)).toMatchObject({ result: 'unusable', because: expect.stringContaining(because) });
  });

  it('is not used when any byte of the payload was changed', () => {
    const envelope = JSON.parse(signed(key)) as { payload: string };
    const payload = Buffer.from(envelope.payload, 'base64');
    for (let i = 0; i < payload.length; i += 7) {
      const changed = Buffer.from(payload);
      changed[i] = (changed[i] ?? 0) ^ 1;
      const text = JSON.stringify({ ...envelope, payload: changed.toString('base64') });
      expect(judge(text, key).result).toBe('unusable');
    }
  });

  it('has keys that are read from PEM, newest first', () => {
    const pem = [key, OTHER].map((one) => one.export({ type: 'pkcs8', format: 'pem' })).join('');
    expect(readPrivateKeys(pem).map(({ asymmetricKeyType }) => asymmetricKeyType)).toEqual([
      key.asymmetricKeyType,
      'ed25519',
    ]);
    const [read] = readPublicKeys(String(createPublicKey(key).export({ type: 'spki', format: 'pem' })));
    expect(read && judgeSummary(signed(key), { ...expectedBy(read) })).toMatchObject({ result: 'passed' });
  });
});

function expectedBy(key: KeyObject) {
  return { fingerprint: FINGERPRINT, org: 'acme', environment: 'prod', maxAgeSeconds: 3600, keys: [key], now: AT };
}

it.each([
  ['nothing', '', 'no private key in PEM'],
  ['a broken key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', 'private key 1 cannot be read'],
  [
    'another kind of key',
    String(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })),
    'neither Ed25519 nor ECDSA with P-256',
  ],
])('refuses keys: %s', (_, pem, message) => {
  expect(() => readPrivateKeys(pem)).toThrow(message);
});
