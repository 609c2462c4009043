import { expect, it } from 'vitest';
import { judge, problemOf, provenance, SLSA, signed, summary, unverified, VSA } from './statement-examples.ts';

const CUSTOM = 'https://cosign.sigstore.dev/attestation/v1';
const of = (...types: string[]) => signed(types.map((predicateType) => provenance({ predicateType })));

it.each([
  ['the type', `predicate_type: ${SLSA}`, of(SLSA)],
  ['the type in a list', `predicate_type: [${SLSA}]`, of(SLSA)],
  ['one of several types', `predicate_type: [https://slsa.dev/provenance/v0.2, ${SLSA}]`, of(SLSA)],
  ['one of several statements', `predicate_type: ${SLSA}`, of(CUSTOM, SLSA)],
  ['a summary', `predicate_type: ${VSA}`, signed([summary()])],
  ['a type of your own', `predicate_type: ${CUSTOM}`, of(CUSTOM)],
  [
    'a type that is no URL',
    'predicate_type: cosign.sigstore.dev/attestation/v1',
    of('cosign.sigstore.dev/attestation/v1'),
  ],
  ['an SBOM', 'predicate_type: https://cyclonedx.org/bom', of('https://cyclonedx.org/bom')],
  ['an unverified one beside it', `predicate_type: ${SLSA}`, signed([unverified(), provenance()])],
  ['the same type twice', `predicate_type: ${SLSA}`, of(SLSA, SLSA)],
])('accepts %s', (_, fields, evidence) => {
  expect(judge(fields, evidence)).toBeNull();
});

it.each([
  ['an arbitrary predicate', SLSA, CUSTOM],
  ['another version', SLSA, 'https://slsa.dev/provenance/v0.2'],
  ['a longer type', SLSA, `${SLSA}.1`],
  ['a shorter type', SLSA, 'https://slsa.dev/provenance'],
  ['another case', SLSA, 'https://slsa.dev/Provenance/v1'],
  ['another scheme', SLSA, 'http://slsa.dev/provenance/v1'],
  ['a slash at the end', SLSA, `${SLSA}/`],
  ['a summary for provenance', SLSA, VSA],
  ['a type within another', SLSA, `https://evil.example.com/?${SLSA}`],
])('refuses %s', (_, wanted, found) => {
  expect(judge(`predicate_type: ${wanted}`, of(found))).toEqual({
    fails: false,
    found: `'build' has the predicate '${found}'.`,
    fix: `Sign a statement with predicate '${wanted}', and report 'build' again in trail 'release-7' of flow 'web'.`,
  });
});

it.each([
  ['only an unverified one has it', signed([unverified()]), 'no statement that was read'],
  [
    'an unverified one has it and a verified one has not',
    signed([unverified(), summary()]),
    `has the predicate '${VSA}'`,
  ],
  ['nothing was read', signed([], { statements: undefined as never }), 'no statement that was read'],
])('refuses where %s', (_, evidence, found) => {
  expect(judge(`predicate_type: ${SLSA}`, evidence)).toMatchObject({
    fails: false,
    found: expect.stringContaining(found),
  });
});

it.each([
  'predicate_type: ""',
  'predicate_type: []',
  'predicate_type: https://slsa.dev/*',
  'predicate_type: https://slsa.dev/**',
  'predicate_type: "a b"',
  'predicate_type: 7',
  'predicate_type: { a: b }',
  'predicate_type: [7]',
  `predicate_type: ${'a'.repeat(501)}`,
])('refuses to read %s', (fields) => {
  expect(problemOf(fields)).toMatchObject({
    path: expect.stringMatching(/^artifacts\.attestations\.0\.predicate_type/),
    message: expect.stringContaining('It is compared as a whole.'),
  });
});

it('is only for signed statements', () => {
  expect(problemOf(`predicate_type: ${SLSA}`, 'sbom')?.message).toBe(
    '"predicate_type" is only allowed with type "in_toto", not "sbom".',
  );
});
