import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Fixture, fixture } from '../../../../packages/ci-context/src/test-fixtures.ts';
import type { CiEvent, Step } from './example-steps.ts';

type Env = Record<string, string>;

/** The environment of a CI job: its variables, its files, a checkout, and the programs of the example. */
export interface Job {
  readonly root: string;
  readonly checkout: string;
  readonly env: Env;
  readonly expected: Expected;
  /** All output of both streams. */
  output: string;
}

export interface Expected {
  readonly provider: string;
  readonly commit: string;
  readonly branch: string;
  readonly commitUrl: string;
  readonly buildUrl: string;
  readonly pullRequest?: { readonly number: string; readonly url: string };
  readonly repository: {
    readonly id?: string;
    readonly name: string;
    readonly url: string;
    readonly provider?: string;
  };
}

const BUILD = `#!/usr/bin/env bash
set -e
mkdir -p dist reports
git rev-parse HEAD > program
tar -czf dist/app.tgz program
printf '<testsuites><testsuite name="unit" tests="2" failures="0"><testcase name="a"/><testcase name="b"/></testsuite></testsuites>' > reports/unit-tests.xml
`;
const DEPLOY = `#!/usr/bin/env bash
set -e
mkdir -p "$APP_DIR"
cp dist/app.tgz "$APP_DIR/app.tgz"
`;
/** Commits in the fixtures: pushed, proposed, test-merged, and earlier. */
const COMMITS = {
  pushed: '1b6453892473a467d07372d45eb05abc2031647a',
  head: '9f14efa2b7c4d1e0835a6b9c2d4e8f7a1b3c5d60',
  merge: 'c0ffee00112233445566778899aabbccddeeff00',
  base: '5d2c8a9e7f6b4c3d2e1f0a9b8c7d6e5f4a3b2c1d',
} as const;
const HEAD = 'rev-parse --verify --quiet HEAD^{commit}';

export function givenJob(system: string, event: CiEvent, env: Env): Job {
  const name = `${system}-${event}`;
  const root = mkdtempSync(join(tmpdir(), `waymark-${name}-`));
  const checkout = join(root, 'checkout');
  const recorded = fixture(name);
  const real = makeCheckout(checkout, name, recorded);
  const { env: variables, files, expected } = withRealCommits(recorded, real);
  for (const [path, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    write(join(root, path), text.replaceAll('=/opt/', `=${root}/opt/`));
  }
  mkdirSync(join(root, 'home/tmp'), { recursive: true });
  return {
    root,
    checkout,
    env: {
      ...placed(variables, root),
      ...(system === 'gitlab' && { CI_PROJECT_DIR: checkout, TMPDIR: join(root, 'home/tmp') }),
      HOME: join(root, 'home'),
      PWD: checkout,
      GIT_CONFIG_NOSYSTEM: '1',
      NPM_CONFIG_PREFIX: join(root, 'home/npm'),
      PATH: [join(root, 'home/npm/bin'), join(root, 'home/.local/bin'), env['PATH']].join(':'),
      ...Object.fromEntries(Object.entries(env).filter(([key]) => key !== 'PATH')),
    },
    expected: expected as unknown as Expected,
    output: '',
  };
}

export function removeJob({ root }: Job): void {
  rmSync(root, { recursive: true, force: true });
}

/** Recorded paths of the CI machine are mapped into a directory of the job. */
function placed(variables: Env, root: string): Env {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (!/^\/[^:]+$/.test(value)) return [name, value];
      const path = join(root, value);
      mkdirSync(/TMP|TEMP|DIR$/.test(name) ? path : dirname(path), { recursive: true });
      return [name, path];
    }),
  );
}

function makeCheckout(place: string, name: string, { git: answers, mergeCommit }: Fixture): Record<string, string> {
  mkdirSync(place, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-C', place, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', '-c', 'commit.gpgsign=false', ...args],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    ).trim();
  git('init', '--quiet', '--initial-branch=main');
  write(join(place, 'build.sh'), BUILD, 0o755);
  write(join(place, 'deploy.sh'), DEPLOY, 0o755);
  git('add', '.');
  git('commit', '--quiet', '--message', `Begin ${name}`);
  const base = git('rev-parse', 'HEAD');
  const tree = git('rev-parse', 'HEAD^{tree}');
  const child = (message: string, ...parents: string[]) =>
    git('commit-tree', tree, '-m', `${message} ${name}`, ...parents.flatMap((parent) => ['-p', parent]));
  const head = child('Propose', base);
  const pushed = child('Push', base);
  const real: Record<string, string> = { [COMMITS.base]: base, [COMMITS.head]: head, [COMMITS.pushed]: pushed };
  const parents = /parent \w+\nparent \w+/.exec(answers[`cat-file -p ${mergeCommit}`] ?? '')?.[0].match(/\b\w{40}\b/g);
  real[COMMITS.merge] = child('Merge', ...(parents ?? [COMMITS.base, COMMITS.head]).map((hash) => real[hash] ?? ''));
  for (const [question, answer] of Object.entries(answers)) {
    const [, ref] = /^rev-parse --verify --quiet (refs\/\S+)\^\{commit\}$/.exec(question) ?? [];
    if (ref) git('update-ref', ref, real[answer] ?? '');
  }
  git('checkout', '--quiet', '--detach', real[answers[HEAD] ?? COMMITS.pushed] ?? '');
  return real;
}

/** Also where it is abbreviated. */
function withRealCommits(recorded: Fixture, real: Readonly<Record<string, string>>): Fixture {
  const text = JSON.stringify(recorded).replace(/\b[0-9a-f]{7,40}\b/g, (digits) => {
    const hash = Object.keys(real).find((known) => known.startsWith(digits));
    return hash === undefined ? digits : (real[hash] ?? '').slice(0, digits.length);
  });
  return JSON.parse(text);
}

function write(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode });
}

export interface StepEnd {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a step as the agent does, and passes its exported variables to later steps. */
export async function runStep(job: Job, { script, env }: Step): Promise<StepEnd> {
  const file = join(job.root, 'step.sh');
  writeFileSync(file, script);
  const own = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/\$\{(\w+)\}/g, (_, of) => job.env[of] ?? ''),
  ]);
  const child = spawn('bash', [file], {
    cwd: job.checkout,
    env: { ...job.env, ...Object.fromEntries(own) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  const output = `${stdout}${stderr}`;
  job.output += output;
  Object.assign(job.env, carriedOver(job, stdout, stderr));
  return { code, output };
}

function carriedOver({ env, checkout }: Job, stdout: string, stderr: string): Env {
  const pairs = (text: string, pattern: RegExp) =>
    Object.fromEntries([...text.matchAll(pattern)].map(([, name = '', , value = '']) => [name, value]));
  const paths = contentOf(env['GITHUB_PATH'])
    .split('\n')
    .filter((path) => path && !env['PATH']?.includes(path));
  return {
    ...pairs(contentOf(env['GITHUB_ENV']), /^(\w+)(?:<<(\w+)\n|=)(.*?)$(?:\n\2$)?/gm),
    ...pairs(contentOf(join(checkout, 'waymark.env')), /^(\w+)(=)(.*)$/gm),
    ...pairs(`${stdout}${stderr}`, /^##vso\[task\.setvariable variable=(\w+)(\])(.*)$/gm),
    ...pairs(stdout, /^##teamcity\[setParameter name='env\.(\w+)'( )value='([^']*)'\]$/gm),
    ...(paths.length > 0 && { PATH: [...paths, env['PATH']].join(':') }),
  };
}

function contentOf(path: string | undefined): string {
  return path !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : '';
}
