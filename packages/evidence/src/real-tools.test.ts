import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { verifyInToto } from './in-toto.ts';

/** See README.md beside the files. */
const read = (name: string) => readFileSync(new URL(`given/files/${name}`, import.meta.url));
const FINGERPRINT = 'a'.repeat(64);
const COMMIT = 'c0ffee'.padEnd(40, '0');

function verify(file: string, key: string, fingerprint = FINGERPRINT) {
  const keys = [{ id: 'k', name: 'tool', publicKey: read(key).toString() }];
  return verifyInToto({ bytes: read(file) }, { keys, identities: [] }, fingerprint);
}

const PROVENANCE = { repository: 'https://github.com/acme/web', commit: COMMIT };
it.each([
  [
    'go',
    'go.intoto.jsonl',
    [
      { result: 'FAILED', verifier: 'https://verify.example.com', verifiedLevels: ['SLSA_BUILD_LEVEL_1'] },
      { result: 'PASSED', tests: { passed: 2, warned: 0, failed: 0 } },
    ],
  ],
  [
    'python',
    'python.intoto.jsonl',
    [{ builder: 'https://github.com/actions/runner/github-hosted', source: { ...PROVENANCE, ref: 'refs/tags/v7' } }],
  ],
  [
    'npm',
    'npm.sigstore.jsonl',
    [{ builder: 'https://tekton.dev/chains/v2', source: { ...PROVENANCE, ref: 'refs/heads/main' } }],
  ],
])('a file of %s libraries is verified and read', (name, file, fields) => {
  expect(verify(file, `${name}.pem`)).toMatchObject({
    verified: true,
    statements: fields.map((one) => ({ verified: true, fields: one })),
  });
});

it('bundles of cosign are verified and read', () => {
  const artifact = hash('sha256', 'the artifact of the examples');
  expect(verify('cosign.sigstore.jsonl', 'cosign.pem', artifact)).toMatchObject({
    verified: true,
    statements: [
      {
        verified: true,
        predicateType: 'https://slsa.dev/provenance/v1',
        fields: {
          builder: 'https://github.com/actions/runner/github-hosted',
          source: { ...PROVENANCE, ref: 'refs/tags/v8' },
          materials: [{}, { uri: 'pkg:docker/node@24-slim' }],
        },
      },
      { verified: true, predicateType: expect.stringMatching(/^https:\/\/openvex\.dev\/ns/) },
    ],
  });
  expect(verify('cosign.sigstore.jsonl', 'go.pem', artifact)).toMatchObject({ verified: false });
  expect(() => verify('cosign.sigstore.jsonl', 'cosign.pem')).toThrow(
    `is about ${artifact}, not about ${FINGERPRINT}.`,
  );
});

it.each([
  ['go.intoto.jsonl', 'npm.pem'],
  ['python.intoto.jsonl', 'go.pem'],
  ['npm.sigstore.jsonl', 'go.pem'],
])('%s is not verified by the key of another', (file, key) => {
  expect(verify(file, key)).toMatchObject({ verified: false });
});
