import { describe, expect, it } from 'vitest';
import type { StatementSource } from '../evidence.ts';
import { COMMIT, judge, problemOf, provenance, signed, summary, unverified } from './statement-examples.ts';

const WEB = 'https://github.com/acme/web';
const SOURCE: StatementSource = { repository: WEB, ref: 'refs/tags/v7', commit: COMMIT };
const from = (more: Partial<StatementSource> = {}) => signed([provenance({ source: { ...SOURCE, ...more } })]);
const only = (source: StatementSource) => signed([provenance({ source })]);

it.each([
  ['the repository', `repository: ${WEB}`, from()],
  ['any repository of an owner', `repository: 'https://github.com/acme/*'`, from()],
  ['one of several repositories', `repository: [https://gitlab.com/acme/web, ${WEB}]`, from()],
  [
    'a nested repository',
    `repository: 'https://gitlab.com/acme/**'`,
    from({ repository: 'https://gitlab.com/acme/a/b' }),
  ],
  ['the ref', 'ref: refs/tags/v7', from()],
  ['any tag', `ref: 'refs/tags/*'`, from()],
  ['any branch of releases', `ref: 'refs/heads/release/**'`, from({ ref: 'refs/heads/release/7/x' })],
  ['one of several refs', `ref: [refs/heads/main, 'refs/tags/*']`, from({ ref: 'refs/heads/main' })],
  ['the commit of the artifact', 'commit: artifact', from()],
  ['all of them', `repository: ${WEB}, ref: 'refs/tags/v*', commit: artifact`, from()],
  ['a commit without a repository', 'commit: artifact', only({ commit: COMMIT })],
])('accepts %s', (_, source, evidence) => {
  expect(judge(`source: { ${source} }`, evidence)).toBeNull();
});

it.each([
  [
    'a fork',
    `repository: ${WEB}`,
    from({ repository: 'https://github.com/evil/web' }),
    "is built from repository 'https://github.com/evil/web'",
  ],
  [
    'a longer repository',
    `repository: ${WEB}`,
    from({ repository: `${WEB}-evil` }),
    `is built from repository '${WEB}-evil'`,
  ],
  [
    'another host',
    `repository: ${WEB}`,
    from({ repository: 'https://evil.com/github.com/acme/web' }),
    "is built from repository 'https://evil.com/github.com/acme/web'",
  ],
  [
    'another owner',
    `repository: 'https://github.com/acme/*'`,
    from({ repository: 'https://github.com/acme-evil/web' }),
    "is built from repository 'https://github.com/acme-evil/web'",
  ],
  ['a branch for a tag', `ref: 'refs/tags/*'`, from({ ref: 'refs/heads/main' }), "is built from ref 'refs/heads/main'"],
  [
    'a branch that looks like a tag',
    `ref: 'refs/tags/*'`,
    from({ ref: 'refs/heads/refs/tags/v7' }),
    "is built from ref 'refs/heads/refs/tags/v7'",
  ],
  ['a nested branch', `ref: 'refs/heads/*'`, from({ ref: 'refs/heads/a/b' }), "is built from ref 'refs/heads/a/b'"],
  ['a short ref', 'ref: refs/heads/main', from({ ref: 'main' }), "is built from ref 'main'"],
  [
    'another commit',
    'commit: artifact',
    from({ commit: 'd'.repeat(40) }),
    `is built from commit '${'d'.repeat(40)}', and the artifact was reported with '${COMMIT}'`,
  ],
  [
    'a short commit',
    'commit: artifact',
    from({ commit: COMMIT.slice(0, 7) }),
    `is built from commit 'c0ffee0', and the artifact was reported with '${COMMIT}'`,
  ],
  [
    'the first that differs',
    `repository: ${WEB}, ref: refs/heads/main`,
    from({ ref: 'refs/heads/x' }),
    "is built from ref 'refs/heads/x'",
  ],
])('refuses %s', (_, source, evidence, found) => {
  expect(judge(`source: { ${source} }`, evidence)).toMatchObject({ fails: false, found: `'build' ${found}.` });
});

describe('at the edges', () => {
  it.each([
    ['no repository', `repository: '**'`, only({ ref: 'a' }), "'build' is built from"],
    ['no ref', `ref: 'refs/heads/*'`, only({ repository: WEB }), "'build' names no ref"],
    ['no commit', 'commit: artifact', only({ repository: WEB }), "'build' names no commit"],
    ['no source', `repository: ${WEB}`, signed([summary()]), "'build' names no repository"],
    ['no verified statement', `repository: ${WEB}`, signed([unverified()]), 'no statement'],
  ])('refuses %s', (_, source, evidence, found) => {
    const unmet = judge(`source: { ${source} }`, evidence);
    if (source === "repository: '**'") expect(unmet).toMatchObject({ found: "'build' names no repository." });
    else expect(unmet).toMatchObject({ fails: false, found: expect.stringContaining(found) });
  });

  it('the commit of an artifact that was reported without one is unknown', () => {
    const { commit: _, ...rest } = { commit: undefined };
    expect(judge('source: { commit: artifact }', from(), { ...rest, commit: undefined as never })).toMatchObject({
      fails: false,
      found: "'build' is about an artifact that was reported without a commit.",
    });
  });

  it('says what is needed', () => {
    expect(judge(`source: { repository: ${WEB}, commit: artifact }`, from({ repository: 'https://a/b' }))?.fix).toBe(
      `Build it from repository '${WEB}' and the commit of the artifact, and report 'build' again in trail 'release-7' of flow 'web'.`,
    );
  });

  it('the parts must be of one statement', () => {
    const two = signed([
      provenance({ source: { repository: WEB, ref: 'refs/heads/evil' } }),
      provenance({ source: { repository: 'https://github.com/evil/web', ref: 'refs/heads/main' } }),
    ]);
    expect(judge(`source: { repository: ${WEB}, ref: refs/heads/main }`, two)).toMatchObject({ fails: false });
  });
});

it.each([
  ['source: {}', 'artifacts.attestations.0.source', '"source" is empty'],
  ['source: https://github.com/acme/web', 'artifacts.attestations.0.source', '"source" must have a repository'],
  ['source: []', 'artifacts.attestations.0.source', '"source" must have a repository'],
  ['source: { commit: c0ffee }', 'artifacts.attestations.0.source.commit', '"commit" must be "artifact"'],
  ['source: { repository: "" }', 'artifacts.attestations.0.source.repository', '"repository" must be a pattern'],
  ['source: { ref: [] }', 'artifacts.attestations.0.source.ref', '"ref" must be a pattern'],
  ['source: { branch: main }', 'artifacts.attestations.0.source', '"source" is empty'],
])('refuses to read %s', (fields, path, message) => {
  const problem = problemOf(fields);
  expect(problem?.path.startsWith(path)).toBe(true);
  expect(problem?.message).toContain(message);
});
