import { createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PAYLOAD_TYPE, signEnvelope, summaryOf } from '../../packages/verification-summary/src/index.ts';
import { findProgram } from './programs.ts';
import { runProgram } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'signed-verdict-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const cosign = await findProgram('cosign');

const ARTIFACT = 'the artifact';
const RESOURCE = 'https://waymark.example.com/acme/environments/prod';
const verdict = Buffer.from(
  JSON.stringify(
    summaryOf({
      artifact: { name: 'app.tgz', fingerprint: hash('sha256', ARTIFACT) },
      verifier: 'https://waymark.example.com',
      verifierVersion: '1.0.0',
      at: new Date(),
      resource: RESOURCE,
      policy: { uri: `${RESOURCE}/policies`, sha256: 'b'.repeat(64) },
      inputs: [],
      details: {
        compliance: 'compliant',
        because: "Policy 'production' (version 1) is satisfied.",
        org: 'acme',
        environment: 'prod',
        policies: [],
        waiver: null,
      },
    }),
  ),
);
writeFileSync(at('app.tgz'), ARTIFACT);
writeFileSync(at('other.tgz'), 'another artifact');

function givenKey(name: string, key: KeyObject): KeyObject {
  writeFileSync(at(`${name}.pem`), createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  return key;
}

function verify(key: string, file: string): void {
  const type = 'https://slsa.dev/verification_summary/v1';
  const options = ['--key', at(`${key}.pem`), '--type', type, '--signature', at('app.vsa.json')];
  runProgram(cosign, ['verify-blob-attestation', ...options, '--insecure-ignore-tlog=true', at(file)], {
    env: { ...process.env },
  });
}

givenKey('other', generateKeyPairSync('ed25519').privateKey);
it.each([
  ['Ed25519', generateKeyPairSync('ed25519').privateKey],
  ['ECDSA with P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
])('cosign verifies a verdict signed with %s, and refuses another artifact or key', (_, privateKey) => {
  const key = givenKey('own', privateKey);
  writeFileSync(at('app.vsa.json'), JSON.stringify(signEnvelope(PAYLOAD_TYPE, verdict, key)));
  expect(() => verify('own', 'app.tgz')).not.toThrow();
  expect(() => verify('own', 'other.tgz')).toThrow(/no matching subject digest/);
  expect(() => verify('other', 'app.tgz')).toThrow(/accepted signatures do not match/);
});
