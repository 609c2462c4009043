import { expect, test } from 'vitest';
import { commitSeal, sealOf } from './seal.ts';

test.each([
  ['signature_verified', 'signature', 'verified'],
  ['signer_unknown', 'api_key', 'unverified'],
  ['signature_unmatched', 'api_key', 'unmatched'],
  ['signature_invalid', 'api_key', 'failed'],
  ['certificate_invalid', 'workload_identity', 'failed'],
  ['timestamp_missing', 'api_key', 'unproven'],
  ['passed', 'workload_identity', 'job'],
  ['failed', 'api_key', 'unsigned'],
] as const)('%s by %s has the seal %s', (outcome, trust, seal) => {
  expect(sealOf({ outcome, trust })).toBe(seal);
});

test('a commit whose signature was not verified has no seal', () => {
  expect(commitSeal(null)).toBeNull();
  expect(commitSeal({})).toBeNull();
  expect(commitSeal({ verified: true })).toBe('verified');
  expect(commitSeal({ verified: false })).toBe('unsigned');
  expect(commitSeal({ verified: false, signature_state: 'bad_email' })).toBe('failed');
  expect(commitSeal({ verified: false, signature_state: 'unknown_key' })).toBe('unverified');
});
