import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CiContext } from './ci-context.ts';
import { readCiContext } from './read-ci-context.ts';
import type { Environment, Sources } from './reader.ts';
import { fixture, fixtureNames, sourcesOf } from './test-fixtures.ts';

const fixtures = fixtureNames.map((name) => ({ name, ...fixture(name) }));
const requests = fixtures.filter((it) => it.mergeCommit !== undefined);
const variables = [...new Set(fixtures.flatMap((it) => Object.keys(it.env)))];

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    ' ',
    '$(Build.SourceVersion)',
    '${GIT_COMMIT}',
    '-c core.pager=x',
    'HEAD',
    '--output=/tmp/x',
    'main\n::set-env name=A::b',
    'main\u001b[2K',
    'main\u202e',
    'https://ana:s3cr3t@git.example.org/acme/web.git',
    'ssh://ana:s3cr3t@git.example.org:22/acme/web.git',
    'https://git.example.org/acme%0A/web%1b',
    'git@git.example.org:acme/../../web.git',
    'C:\\repos\\web',
    'file:///srv/web.git',
    'refs/pull/12/merge',
    'pr/99999999999999999999',
    '__proto__',
    'a'.repeat(5000),
    'abcdef',
    'F'.repeat(40),
    '0'.repeat(40),
    '\ud800',
  ),
);

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}

function expectSound(context: CiContext): void {
  for (const text of strings(context)) {
    expect(text).not.toMatch(CONTROL);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('s3cr3t');
    expect(text).not.toMatch(/\$\(Build|\$\{GIT/);
  }
  if (context.commit) expect(context.commit.value).toMatch(/^[0-9a-f]{40}$/);
  if (context.pullRequest) expect(context.pullRequest.value.number).toMatch(/^\d+$/);
  for (const url of [context.buildUrl, context.commitUrl, context.repository?.url]) {
    if (url) expect(url.value).toMatch(/^https?:\/\/[^@/]+(?:\/|$)/);
  }
}

describe('any environment', () => {
  it('is read without an error, and nothing unsound gets out', () => {
    const environment = fc.dictionary(fc.oneof(fc.constantFrom(...variables), fc.string()), hostile, { maxKeys: 40 });
    const answer = fc.option(hostile, { nil: undefined });
    fc.assert(
      fc.property(environment, answer, answer, (env, file, git) => {
        expectSound(readCiContext(env, { readFile: () => file, git: () => git }));
      }),
      { numRuns: 600 },
    );
  });

  it('may have anything in any variable of a real one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...fixtures),
        fc.dictionary(fc.constantFrom(...variables), hostile, { maxKeys: 12 }),
        (real, changes) => expectSound(readCiContext({ ...real.env, ...changes }, sourcesOf(real))),
      ),
      { numRuns: 1500 },
    );
  });

  it('may come with files and a git that fail', () => {
    const failing: Sources = {
      readFile: () => {
        throw new Error('EACCES');
      },
      git: () => {
        throw new Error('not a repository');
      },
    };
    for (const { env } of fixtures) expectSound(readCiContext(env, failing));
  });

  it('may come with an event file of any JSON', () => {
    const { env } = fixture('github-pull-request');
    fc.assert(
      fc.property(fc.json(), (event) =>
        expectSound(readCiContext(env, { readFile: () => event, git: () => undefined })),
      ),
    );
  });
});

describe('a pull request', () => {
  it.each(requests)('is never recorded with its merge commit, whatever is missing: $name', (request) => {
    const { env, marks = [], mergeCommit } = request;
    const others = Object.keys(env).filter((name) => !marks.includes(name));
    const sources = fc.constantFrom<Sources>(sourcesOf(request), sourcesOf({ files: {}, git: request.git }), {
      readFile: sourcesOf(request).readFile,
      git: () => undefined,
    });
    // The variables that identify the system stay, and one of those that make it a pull request.
    fc.assert(
      fc.property(
        fc.subarray(others.filter((name) => !DETECTION.test(name))),
        fc.subarray(marks, { minLength: 1 }),
        sources,
        (removed, remaining, sources) => {
          const gone = new Set([...removed, ...marks.filter((mark) => !remaining.includes(mark))]);
          const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !gone.has(name)));
          // TeamCity is identified by a file only.
          if (marks.includes('TEAMCITY_BUILD_PROPERTIES_FILE')) {
            expect(readCiContext(rest, sourcesOf(request)).commit?.value).not.toBe(mergeCommit);
          } else {
            expect(readCiContext(rest, sources).commit?.value).not.toBe(mergeCommit);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

const DETECTION =
  /^(?:GITHUB_ACTIONS|GITEA_ACTIONS|FORGEJO_ACTIONS|GITLAB_CI|TF_BUILD|BITBUCKET_BUILD_NUMBER|BUILDKITE|CIRCLECI|CODEBUILD_BUILD_ARN|TEAMCITY_VERSION|DRONE|HARNESS_BUILD_ID|CI|JENKINS_URL|BUILD_ID)$/;

describe('an empty or unexpanded value', () => {
  it.each(fixtures)('counts as absent: $name', ({ env, ...real }) => {
    for (const name of Object.keys(env)) {
      const { [name]: _, ...without } = env;
      const absent = facts(without, sourcesOf(real));
      for (const value of ['', '  ', '$(Some.Name)', '${SOME_NAME}']) {
        expect(facts({ ...env, [name]: value }, sourcesOf(real)), `${name}=${value}`).toEqual(absent);
      }
    }
  });

  it('is mentioned in a note', () => {
    const { env, ...real } = fixture('azure-push');
    const { notes } = readCiContext(
      { ...env, BUILD_SOURCEVERSION: '$(Other.Version)', BUILD_BUILDID: '' },
      sourcesOf(real),
    );
    expect(notes).toEqual(
      expect.arrayContaining([
        'BUILD_SOURCEVERSION holds a variable that was not replaced by its value and was left out',
        'BUILD_BUILDID is empty and was left out',
      ]),
    );
  });
});

function facts(env: Environment, sources: Sources): Partial<CiContext> {
  const { notes: _, ...rest } = readCiContext(env, sources);
  return rest;
}

describe('a commit', () => {
  const env = { CIRCLECI: 'true' };

  it('is left out with a note when it is not a git hash', () => {
    const context = readCiContext({ ...env, CIRCLE_SHA1: 'r4711' }, sourcesOf({ files: {}, git: {} }));
    expect(context.commit).toBeUndefined();
    expect(context.notes).toEqual(['CIRCLE_SHA1 is not a commit of git (40 hexadecimal digits) and was left out']);
  });

  it('is left out with a note when git cannot resolve a short hash', () => {
    const context = readCiContext({ ...env, CIRCLE_SHA1: 'abcdef1' }, sourcesOf({ files: {}, git: {} }));
    expect(context.commit).toBeUndefined();
    expect(context.notes).toEqual(['CIRCLE_SHA1 is not a whole commit, and git could not resolve it: it was left out']);
  });

  it('is never only zeros', () => {
    const context = readCiContext({ ...env, CIRCLE_SHA1: '0'.repeat(40) }, sourcesOf({ files: {}, git: {} }));
    expect(context.commit).toBeUndefined();
  });

  it('is in lower case', () => {
    const context = readCiContext({ ...env, CIRCLE_SHA1: 'AB'.repeat(20) }, sourcesOf({ files: {}, git: {} }));
    expect(context.commit?.value).toBe('ab'.repeat(20));
  });
});
