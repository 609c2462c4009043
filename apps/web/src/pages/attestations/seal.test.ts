import { expect, test } from 'vitest';
import { commitSeal, sealOf } from './seal.ts';

test.each([
  ['in_toto', 'signature', [], 'verified'],
  ['in_toto', 'api_key', ['No trusted key made a signature on it.'], 'unverified'],
  ['in_toto', 'api_key', ["It is signed as 'x', which is not among the trusted identities."], 'unverified'],
  ['in_toto', 'api_key', ["It cannot be verified as 'x': the certificate has expired."], 'failed'],
  ['junit', 'workload_identity', [], 'job'],
  ['junit', 'api_key', ['4 failures in 300 tests.'], 'unsigned'],
] as const)('%s by %s, %j: %s', (attestation_type, trust, reasons, seal) => {
  expect(sealOf({ attestation_type, trust, reasons: [...reasons] })).toBe(seal);
});

test('a commit whose signature nobody looked at has no seal', () => {
  expect(commitSeal(null)).toBeNull();
  expect(commitSeal({})).toBeNull();
  expect(commitSeal({ verified: true })).toBe('verified');
  expect(commitSeal({ verified: false })).toBe('unsigned');
  expect(commitSeal({ verified: false, signature_state: 'bad_email' })).toBe('failed');
  expect(commitSeal({ verified: false, signature_state: 'unknown_key' })).toBe('unverified');
});
