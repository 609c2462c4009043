import { describe, expect, it } from 'vitest';
import { passed } from '../decide-examples.ts';
import { judge, problemOf, provenance, signed, summary, unverified } from './statement-examples.ts';

const OWN = 'pkg:docker/registry.example.com/base/node@22';
const OTHER = 'pkg:docker/docker.io/library/node@22';
const SOURCE = 'git+https://github.com/acme/web@refs/tags/v7';
const ALLOW = 'allow: ["pkg:docker/registry.example.com/**", "git+https://github.com/acme/**"]';

const of = (...materials: string[]) => signed([provenance({ materials })]);

it.each([
  ['an allowed image', `{ ${ALLOW} }`, of(OWN)],
  ['an allowed image and an allowed source', `{ ${ALLOW} }`, of(OWN, SOURCE)],
  ['one pattern instead of a list', '{ allow: "pkg:docker/registry.example.com/**" }', of(OWN)],
  ['anything', '{ allow: "**" }', of(OWN, OTHER, SOURCE)],
  ['what is not denied', '{ deny: "pkg:docker/docker.io/**" }', of(OWN, SOURCE)],
  ['what is allowed and not denied', '{ allow: "pkg:**", deny: "**@latest" }', of(OWN, OTHER)],
  ['a star within one part', '{ allow: "pkg:docker/registry.example.com/base/*@*" }', of(OWN)],
  ['one of several statements', `{ ${ALLOW} }`, signed([summary(), provenance({ materials: [OWN] })])],
])('accepts %s', (_, rule, evidence) => {
  expect(judge(`materials: ${rule}`, evidence)).toBeNull();
});

it.each([
  ['an image of another registry', `{ ${ALLOW} }`, of(OTHER), OTHER],
  ['one among allowed materials', `{ ${ALLOW} }`, of(OWN, SOURCE, OTHER), OTHER],
  [
    'a source of another owner',
    `{ ${ALLOW} }`,
    of(OWN, 'git+https://github.com/acme-evil/web'),
    'git+https://github.com/acme-evil/web',
  ],
  ['a material without address', `{ ${ALLOW} }`, of(''), ''],
  ['a denied image', '{ deny: "pkg:docker/docker.io/**" }', of(OWN, OTHER), OTHER],
  ['what is both allowed and denied', '{ allow: "**", deny: ["a", "**@22"] }', of(OWN), OWN],
  ['another case', `{ ${ALLOW} }`, of(OWN.toUpperCase()), OWN.toUpperCase()],
  ['a star over several parts', '{ allow: "pkg:docker/*" }', of(OWN), OWN],
  [
    'a registry whose name begins alike',
    '{ allow: "pkg:docker/registry.example.com/**" }',
    of('pkg:docker/registry.example.com.evil.org/node'),
    'pkg:docker/registry.example.com.evil.org/node',
  ],
])('fails for %s', (_, rule, evidence, material) => {
  expect(judge(`materials: ${rule}`, evidence)).toEqual({
    fails: true,
    found: `'build' is built of '${material}', which the rule does not allow.`,
    fix: expect.stringMatching(
      /^Build it .* and report 'build' again in trail 'release-7' of flow 'web', or override it/,
    ),
  });
});

it('counts what else is not allowed', () => {
  expect(judge(`materials: { ${ALLOW} }`, of(OTHER, 'a', 'b'))).toMatchObject({
    found: `'build' is built of '${OTHER}' and 2 more, which the rule does not allow.`,
  });
});

describe('is missing', () => {
  it.each([
    ['without materials', `{ ${ALLOW} }`, signed([provenance()]), "'build' names no materials."],
    ['with an empty list', '{ deny: "x" }', of(), "'build' names no materials."],
    [
      'with more than is read',
      `{ ${ALLOW} }`,
      signed([provenance({ materials: [OWN], materialCount: 51 })]),
      "'build' names 51 materials, of which Waymark reads the first 1.",
    ],
    ['in an unverified statement', `{ ${ALLOW} }`, signed([unverified({ materials: [OWN] })]), 'no statement'],
    ['without statements', `{ ${ALLOW} }`, passed('build', 'in_toto', { trust: 'signature' }), 'no statement'],
  ])('%s', (_, rule, evidence, found) => {
    expect(judge(`materials: ${rule}`, evidence)).toMatchObject({
      fails: false,
      found: expect.stringContaining(found),
    });
  });
});

describe('with other fields', () => {
  const bad = provenance({ materials: [OTHER], builder: 'ci' });
  const good = provenance({ materials: [OWN], builder: 'ci' });

  it('fails also beside a statement that meets the rule', () => {
    expect(judge(`materials: { ${ALLOW} }`, signed([good, bad]))).toMatchObject({ fails: true });
  });

  it('does not fail for a statement that the rule does not ask for', () => {
    expect(judge(`builder: mine, materials: { ${ALLOW} }`, signed([bad]))).toMatchObject({
      fails: false,
      found: "'build' is built by 'ci'.",
    });
    const mine = provenance({ materials: [OWN], builder: 'mine' });
    expect(judge(`builder: mine, materials: { ${ALLOW} }`, signed([bad, mine]))).toBeNull();
  });

  it('is covered by an override', () => {
    expect(judge(`materials: { ${ALLOW} }`, { ...signed([bad]), isOverride: true })).toBeNull();
  });
});

it.each([
  ['materials: {}', 'materials', '"materials" must have'],
  ['materials: []', 'materials', '"materials" must have'],
  ['materials: all', 'materials', '"materials" must have'],
  ['materials: { allow: [] }', 'materials.allow', '"allow" must be a pattern'],
  ['materials: { allow: "a b" }', 'materials.allow', '"allow" must be a pattern'],
  ['materials: { deny: 7 }', 'materials.deny', '"deny" must be a pattern'],
  ['materials: { deny: "a***" }', 'materials.deny', '"deny" must be a pattern'],
  ['materials: { permit: "a" }', 'materials', '"materials" must have'],
  ['materials: { allow: "a", permit: "b" }', 'materials', 'Unknown key "permit"'],
])('refuses to read %s', (fields, path, message) => {
  expect(problemOf(fields)).toMatchObject({
    path: expect.stringContaining(path),
    message: expect.stringContaining(message),
  });
});

it('is only read with signed statements', () => {
  expect(problemOf('materials: { allow: "a" }', 'sbom')).toMatchObject({
    message: '"materials" is only allowed with type "in_toto", not "sbom".',
  });
});
