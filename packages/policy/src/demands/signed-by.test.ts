import { describe, expect, it } from 'vitest';
import type { StatementSigner } from '../evidence.ts';
import { GITHUB, judge, problemOf, provenance, signed, unverified, WORKFLOW } from './statement-examples.ts';

const RELEASE: StatementSigner = { kind: 'key', id: '0192-1', name: 'release' };
const OTHER: StatementSigner = { kind: 'key', id: '0192-2', name: 'other' };
const CI: StatementSigner = { kind: 'identity', identity: WORKFLOW, issuer: GITHUB };
const by = (...signers: StatementSigner[]) => signed([provenance({ signers })]);
const as = (identity: string, issuer = GITHUB) => `signed_by: { identity: '${identity}', issuer: '${issuer}' }`;

it.each([
  ['a key by its name', 'signed_by: { key: release }', by(RELEASE)],
  ['a key by its ID', 'signed_by: { key: 0192-1 }', by(RELEASE)],
  ['one of several keys', 'signed_by: [{ key: old }, { key: release }]', by(RELEASE)],
  ['a key beside another signer', 'signed_by: { key: release }', by(OTHER, RELEASE)],
  ['a key or an identity', `signed_by: [{ key: old }, { identity: '${WORKFLOW}', issuer: '${GITHUB}' }]`, by(CI)],
  ['an identity as a whole', as(WORKFLOW), by(CI)],
  ['any tag', as('https://github.com/acme/web/.github/workflows/release.yml@refs/tags/*'), by(CI)],
  ['any workflow of a repository', as('https://github.com/acme/web/.github/workflows/*@refs/tags/v7'), by(CI)],
  ['any repository of an owner', as('https://github.com/acme/*/.github/workflows/release.yml@refs/tags/v7'), by(CI)],
  ['anything of an owner', as('https://github.com/acme/**'), by(CI)],
  ['any identity of the issuer', as('**'), by(CI)],
  [
    'an email address',
    as('*@example.com', 'https://accounts.google.com'),
    by({ kind: 'identity', identity: 'ada@example.com', issuer: 'https://accounts.google.com' }),
  ],
])('accepts %s', (_, fields, evidence) => {
  expect(judge(fields, evidence)).toBeNull();
});

const CI_TEXT = `as '${WORKFLOW}' of '${GITHUB}'`;
it.each([
  ['another key', 'signed_by: { key: release }', by(OTHER), "is signed by key 'other'"],
  ['a key of another case', 'signed_by: { key: Release }', by(RELEASE), "is signed by key 'release'"],
  ['a key for an identity', as('**'), by(RELEASE), "is signed by key 'release'"],
  ['an identity for a key', 'signed_by: { key: release }', by(CI), `is signed ${CI_TEXT}`],
  [
    'a key that is called like the identity',
    as(WORKFLOW),
    by({ kind: 'key', id: 'k', name: WORKFLOW }),
    `is signed by key '${WORKFLOW}'`,
  ],
  ['another issuer', as(WORKFLOW, 'https://gitlab.com'), by(CI), `is signed ${CI_TEXT}`],
  ['an issuer with a slash more', as(WORKFLOW, `${GITHUB}/`), by(CI), `is signed ${CI_TEXT}`],
  [
    'a branch for a tag',
    as('https://github.com/acme/web/.github/workflows/release.yml@refs/heads/*'),
    by(CI),
    `is signed ${CI_TEXT}`,
  ],
  ['a part of the identity', as('https://github.com/acme/web'), by(CI), `is signed ${CI_TEXT}`],
  ['another owner', as('https://github.com/acm/**'), by(CI), `is signed ${CI_TEXT}`],
  ['a star over several parts', as('https://github.com/acme/*'), by(CI), `is signed ${CI_TEXT}`],
  [
    'none of several',
    'signed_by: [{ key: a }, { key: b }]',
    by(OTHER, RELEASE),
    "is signed by key 'other' and by key 'release'",
  ],
])('refuses %s', (_, fields, evidence, found) => {
  expect(judge(fields, evidence)).toMatchObject({ fails: false, found: `'build' ${found}.` });
});

describe('at the edges', () => {
  it.each([
    [
      'no statement was read',
      signed([], { statements: undefined as never }),
      "'build' has no statement that was read and verified.",
    ],
    ['there is none', signed([]), "'build' has no statement that was read and verified."],
    ['none is verified', signed([unverified()]), "'build' has no statement that was read and verified."],
    [
      'an unverified one names the signer',
      signed([unverified({ signers: [RELEASE] })]),
      "'build' has no statement that was read and verified.",
    ],
    [
      'trust was withdrawn',
      signed([unverified({ isWithdrawn: true })]),
      "the org no longer trusts the signer of 'build'.",
    ],
  ])('counts as missing where %s', (_, evidence, found) => {
    expect(judge('signed_by: { key: release }', evidence)).toEqual({
      fails: false,
      found,
      fix: "Sign it with a key or identity that the org trusts, and report 'build' again in trail 'release-7' of flow 'web'.",
    });
  });

  it('accepts one statement of several', () => {
    const both = signed([unverified(), provenance({ signers: [OTHER] }), provenance({ signers: [RELEASE] })]);
    expect(judge('signed_by: { key: release }', both)).toBeNull();
  });

  it('evidence that is not compliant fails, although the right key signed it', () => {
    const failed = signed([provenance({ signers: [RELEASE] })], { isCompliant: false });
    expect(judge('signed_by: { key: release }', failed)).toMatchObject({ fails: true });
  });

  it('an override does not sign anything', () => {
    const overridden = signed([unverified()], { isOverride: true, trust: 'api_key' });
    expect(judge('signed_by: { key: release }', overridden)).toMatchObject({ fails: false });
  });

  it('says who must sign', () => {
    expect(judge('signed_by: [{ key: release }, { key: backup }]', by(OTHER))).toEqual({
      fails: false,
      found: "'build' is signed by key 'other'.",
      fix: "Have it signed by key 'release' or by key 'backup', and report 'build' again in trail 'release-7' of flow 'web'.",
    });
  });
});

it.each([
  'signed_by: release',
  'signed_by: []',
  'signed_by: {}',
  'signed_by: { key: release, issuer: "https://a" }',
  'signed_by: { identity: "**" }',
  'signed_by: { issuer: "https://gitlab.com" }',
  'signed_by: { key: 7 }',
  'signed_by: { key: "" }',
  'signed_by: { identity: "a***b", issuer: "https://gitlab.com" }',
  'signed_by: { identity: "a b", issuer: "https://gitlab.com" }',
  'signed_by: { identity: "", issuer: "https://gitlab.com" }',
  'signed_by: { identity: a, issuer: "https://*" }',
  'signed_by: { identity: a, issuer: "http://gitlab.com" }',
  `signed_by: [${Array.from({ length: 21 }, (_, i) => `{ key: k${i} }`).join(', ')}]`,
])('refuses to read %s', (fields) => {
  expect(problemOf(fields)).toMatchObject({
    path: expect.stringMatching(/^artifacts\.attestations\.0\.signed_by/),
    line: 4,
    message: expect.stringMatching(/^"signed_by" must be a key, such as \{key: release\}, or an identity/),
  });
});

it('is only for signed statements', () => {
  expect(problemOf('signed_by: { key: release }', 'junit')).toMatchObject({
    path: 'artifacts.attestations.0.signed_by',
    message: '"signed_by" is only allowed with type "in_toto", not "junit".',
  });
});
