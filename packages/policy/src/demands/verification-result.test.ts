import { expect, it } from 'vitest';
import { judge, problemOf, provenance, signed, summary, unverified, VSA } from './statement-examples.ts';

const VERIFIER = 'https://verify.example.com/slsa';
const TESTS = 'https://in-toto.io/attestation/test-result/v0.1';
const PASSED = 'verification_result: PASSED';

it.each([
  ['a summary that passed', PASSED, [summary()]],
  ['a test result that passed', PASSED, [summary({ predicateType: TESTS })]],
  ['one of several results', 'verification_result: [PASSED, WARNED]', [summary({ result: 'WARNED' as const })]],
  ['a result in a list', 'verification_result: [PASSED]', [summary()]],
  ['a warning that is asked for', 'verification_result: WARNED', [summary({ result: 'WARNED' as const })]],
  ['the verifier', `${PASSED}, verifier: ${VERIFIER}`, [summary()]],
  ['a verifier by a pattern', `${PASSED}, verifier: 'https://verify.example.com/*'`, [summary()]],
  ['one of several verifiers', `${PASSED}, verifier: [a, '${VERIFIER}']`, [summary()]],
  ['a predicate', `${PASSED}, predicate_type: ${VSA}`, [summary()]],
  ['provenance beside it', PASSED, [provenance(), summary()]],
  [
    'a failure of another verifier',
    `${PASSED}, verifier: ${VERIFIER}`,
    [summary(), summary({ verifier: 'https://other.example.com', result: 'FAILED' as const })],
  ],
  [
    'a failure of another predicate',
    `${PASSED}, predicate_type: ${VSA}`,
    [summary(), summary({ predicateType: TESTS, result: 'FAILED' as const })],
  ],
  ['a failure that nobody verified', PASSED, [summary(), unverified({ result: 'FAILED' })]],
  ['a verifier alone', `verifier: ${VERIFIER}`, [summary()]],
])('accepts %s', (_, fields, statements) => {
  expect(judge(fields, signed(statements))).toBeNull();
});

it.each([
  ['a summary that failed', PASSED, [summary({ result: 'FAILED' as const })]],
  [
    'a failure although warnings are enough',
    'verification_result: [PASSED, WARNED]',
    [summary({ result: 'FAILED' as const })],
  ],
  ['a failure beside a pass', PASSED, [summary(), summary({ result: 'FAILED' as const })]],
  ['a failure of the verifier', `${PASSED}, verifier: ${VERIFIER}`, [summary({ result: 'FAILED' as const })]],
  ['a failure of the predicate', `${PASSED}, predicate_type: ${VSA}`, [summary({ result: 'FAILED' as const })]],
])('fails for %s', (_, fields, statements) => {
  expect(judge(fields, signed(statements))).toEqual({
    fails: true,
    found: `'build' says that the verification by '${VERIFIER}' FAILED.`,
    fix: "Fix what the verification found and report 'build' again in trail 'release-7' of flow 'web', or override it with a reason.",
  });
});

it.each([
  ['a warning', PASSED, [summary({ result: 'WARNED' as const })], 'has the result WARNED'],
  ['a statement without a result', PASSED, [provenance()], 'has no verification result'],
  [
    'another verifier',
    `${PASSED}, verifier: ${VERIFIER}`,
    [summary({ verifier: 'https://evil.example.com' })],
    "was verified by 'https://evil.example.com'",
  ],
  [
    'a failure of another verifier',
    `${PASSED}, verifier: ${VERIFIER}`,
    [summary({ verifier: 'x', result: 'FAILED' as const })],
    "was verified by 'x'",
  ],
  ['no verifier', `${PASSED}, verifier: ${VERIFIER}`, [provenance({ result: 'PASSED' })], 'names no verifier'],
  [
    'another predicate',
    `${PASSED}, predicate_type: ${VSA}`,
    [summary({ predicateType: TESTS })],
    `has the predicate '${TESTS}'`,
  ],
  ['another signer', `${PASSED}, signed_by: { key: release }`, [summary()], "is signed by key 'verifier'"],
  ['no verified statement', PASSED, [unverified({ result: 'PASSED' })], 'has no statement that was read and verified'],
  ['nothing', PASSED, [], 'has no statement that was read and verified'],
])('counts %s as missing', (_, fields, statements, found) => {
  expect(judge(fields, signed(statements))).toMatchObject({ fails: false, found: `'build' ${found}.` });
});

it('an override as compliant covers a failure, and takes responsibility for it', () => {
  const failed = [summary({ result: 'FAILED' as const })];
  const overridden = signed(failed, { isOverride: true });
  expect(judge(PASSED, overridden)).toBeNull();
  expect(judge(PASSED, signed(failed, { isOverride: true, isCompliant: false }))).toMatchObject({ fails: true });
});

it.each([
  'verification_result: FAILED',
  'verification_result: passed',
  'verification_result: []',
  'verification_result: [FAILED]',
  'verification_result: true',
])('refuses to read %s', (fields) => {
  expect(problemOf(fields)).toMatchObject({
    path: expect.stringMatching(/^artifacts\.attestations\.0\.verification_result/),
    message: '"verification_result" must be PASSED, or a list of PASSED and WARNED.',
  });
});

it('is only for signed statements', () => {
  expect(problemOf(PASSED, 'generic')?.message).toBe(
    '"verification_result" is only allowed with type "in_toto", not "generic".',
  );
});
