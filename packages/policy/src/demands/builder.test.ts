import { describe, expect, it } from 'vitest';
import { judge, problemOf, provenance, SLSA, signed, summary, unverified } from './statement-examples.ts';

const HOSTED = 'https://github.com/actions/runner/github-hosted';
const GENERATOR =
  'https://github.com/slsa-framework/slsa-github-generator/.github/workflows/generator_container_slsa3.yml@refs/tags/v2.1.0';
const by = (builder: string) => signed([provenance({ builder })]);

it.each([
  ['the builder', HOSTED, HOSTED],
  ['any runner', 'https://github.com/actions/runner/*', HOSTED],
  ['anything of an owner', 'https://github.com/slsa-framework/**', GENERATOR],
  [
    'any version',
    'https://github.com/slsa-framework/slsa-github-generator/.github/workflows/generator_container_slsa3.yml@refs/tags/v*',
    GENERATOR,
  ],
  [
    'any generator',
    'https://github.com/slsa-framework/slsa-github-generator/.github/workflows/*@refs/tags/v2.*',
    GENERATOR,
  ],
  ['any builder', '**', 'tekton'],
  ['a builder that is no URL', 'tekton-*', 'tekton-chains'],
])('accepts %s', (_, pattern, builder) => {
  expect(judge(`builder: '${pattern}'`, by(builder))).toBeNull();
});

it.each([
  ['an unknown builder', HOSTED, 'https://evil.example.com/builder'],
  ['another runner', HOSTED, 'https://github.com/actions/runner/self-hosted'],
  ['a longer builder', HOSTED, `${HOSTED}/x`],
  ['a builder that begins otherwise', HOSTED, `https://evil.example.com/${HOSTED}`],
  ['another case', HOSTED, HOSTED.toUpperCase()],
  ['a star over several parts', 'https://github.com/slsa-framework/*', GENERATOR],
  [
    'a branch for a tag',
    'https://github.com/slsa-framework/slsa-github-generator/.github/workflows/*@refs/tags/*',
    GENERATOR.replace('refs/tags/v2.1.0', 'refs/heads/main'),
  ],
  ['a fork', 'https://github.com/slsa-framework/**', GENERATOR.replace('slsa-framework', 'slsa-framework-evil')],
])('refuses %s', (_, pattern, builder) => {
  expect(judge(`builder: '${pattern}'`, by(builder))).toEqual({
    fails: false,
    found: `'build' is built by '${builder}'.`,
    fix: `Build it with '${pattern}', and report 'build' again in trail 'release-7' of flow 'web'.`,
  });
});

describe('with other fields and statements', () => {
  it.each([
    ['one of several builders', `builder: [tekton, '${HOSTED}']`, by(HOSTED)],
    ['one of several statements', `builder: ${HOSTED}`, signed([summary(), provenance({ builder: HOSTED })])],
    ['the builder of the predicate', `builder: ${HOSTED}, predicate_type: ${SLSA}`, by(HOSTED)],
  ])('accepts %s', (_, fields, evidence) => {
    expect(judge(fields, evidence)).toBeNull();
  });

  const key = { kind: 'key', id: 'k', name: 'release' } as const;
  it.each([
    ['no builder', `builder: ${HOSTED}`, signed([summary()]), "'build' names no builder."],
    ['an empty builder', `builder: ${HOSTED}`, by(''), "'build' is built by ''."],
    ['an unverified statement', `builder: ${HOSTED}`, signed([unverified({ builder: HOSTED })]), 'no statement'],
    [
      'a builder and a signer of different statements',
      `builder: ${HOSTED}, signed_by: { key: release }`,
      signed([provenance({ builder: HOSTED }), provenance({ builder: 'evil', signers: [key] })]),
      "'build' is built by 'evil'.",
    ],
    [
      'a builder that is named by another predicate',
      `builder: ${HOSTED}, predicate_type: ${SLSA}`,
      signed([provenance({ builder: 'evil' }), provenance({ builder: HOSTED, predicateType: 'https://a/b' })]),
      "'build' is built by 'evil'.",
    ],
  ])('refuses %s', (_, fields, evidence, found) => {
    expect(judge(fields, evidence)).toMatchObject({ fails: false, found: expect.stringContaining(found) });
  });
});

it.each(['builder: ""', 'builder: []', 'builder: 7', 'builder: "a b"', 'builder: "a***"', 'builder: { a: b }'])(
  'refuses to read %s',
  (fields) => {
    expect(problemOf(fields)).toMatchObject({
      path: expect.stringMatching(/^artifacts\.attestations\.0\.builder/),
      message: expect.stringMatching(/^"builder" must be a pattern of 1 to 500 characters without spaces/),
    });
  },
);
