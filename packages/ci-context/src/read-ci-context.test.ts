import { describe, expect, it } from 'vitest';
import type { CiContext, Known } from './ci-context.ts';
import { PROVIDERS } from './ci-context.ts';
import { readCiContext } from './read-ci-context.ts';
import { fixture, fixtureNames as names, sourcesOf } from './test-fixtures.ts';

/** The values without their sources, as in the fixtures. */
function plain(context: CiContext): Record<string, unknown> {
  const { provider, notes, oidc, dirty, doubt, commit, repository, ...rest } = context;
  const values = Object.entries(rest)
    .filter(([name]) => name !== 'providerName')
    .map(([name, known]) => [name, (known as Known<unknown>).value]);
  return {
    provider,
    notes,
    ...(oidc ? { oidc } : {}),
    ...(dirty === undefined ? {} : { dirty }),
    ...(doubt === undefined ? {} : { doubt }),
    ...(commit ? { commit: commit.value, commitSource: commit.source } : {}),
    ...(repository
      ? { repository: Object.fromEntries(Object.entries(repository).map(([name, known]) => [name, known.value])) }
      : {}),
    ...Object.fromEntries(values),
  };
}

describe('the variables of CI systems', () => {
  it.each(names)('are read correctly: %s', (name) => {
    const { env, files, git, expected } = fixture(name);
    expect(plain(readCiContext(env, sourcesOf({ files, git })))).toEqual(expected);
  });

  it('include a push and a pull request of every system', () => {
    for (const provider of PROVIDERS.filter((it) => it !== 'none')) {
      expect(names).toContain(`${provider}-push`);
      expect(names).toContain(`${provider}-pull-request`);
    }
  });

  it.each(names)('reveal no secret: %s', (name) => {
    const { env, files, git } = fixture(name);
    expect(JSON.stringify(readCiContext(env, sourcesOf({ files, git })))).not.toContain('never-show');
  });
});

describe('the source of a value', () => {
  it('is given for each, with its trust', () => {
    const { env, files, git } = fixture('github-pull-request-no-event-file');
    const context = readCiContext(env, sourcesOf({ files, git }));
    expect(context.branch).toEqual({ value: 'feature/login', source: 'GITHUB_HEAD_REF', trust: 'ci' });
    expect(context.commit?.trust).toBe('git');
    expect(context.commitUrl).toMatchObject({
      source: 'GITHUB_SERVER_URL, GITHUB_REPOSITORY; GITHUB_SHA, git cat-file (second parent)',
      trust: 'git',
    });
  });

  it('is git where the CI system has no value', () => {
    const context = readCiContext(
      { TEAMCITY_VERSION: '2025.11' },
      sourcesOf({
        files: {},
        git: {
          'remote get-url origin': 'git@github.com:acme/web.git',
          'rev-parse --verify --quiet HEAD^{commit}': 'a'.repeat(40),
        },
      }),
    );
    expect(context.repository?.url).toEqual({
      value: 'https://github.com/acme/web',
      source: 'git remote get-url origin',
      trust: 'git',
    });
    expect(context.commit).toEqual({ value: 'a'.repeat(40), source: 'git rev-parse HEAD', trust: 'git' });
  });
});
