import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCiContext } from './read-ci-context.ts';
import type { Sources } from './reader.ts';

let directory: string;
let head: string;
let merge: string;

const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', '-c', 'commit.gpgsign=false'];
const gitIn = (place: string, ...args: string[]) =>
  execFileSync('git', ['-C', place, ...identity, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** A pull request as forges store it: a branch, and a merge of it that is on no branch. */
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'waymark-checkout-'));
  const origin = join(directory, 'origin');
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', origin]);
  const commit = (message: string) => gitIn(origin, 'commit', '--quiet', '--allow-empty', '-m', message);
  commit('first');
  gitIn(origin, 'checkout', '--quiet', '-b', 'feature');
  commit('proposed');
  head = gitIn(origin, 'rev-parse', 'HEAD');
  gitIn(origin, 'checkout', '--quiet', 'main');
  commit('meanwhile');
  gitIn(origin, 'checkout', '--quiet', '--detach');
  gitIn(origin, 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'feature');
  merge = gitIn(origin, 'rev-parse', 'HEAD');
  gitIn(origin, 'update-ref', 'refs/pull/12/merge', merge);
  gitIn(origin, 'checkout', '--quiet', 'main');
  const clone = join(directory, 'clone');
  execFileSync('git', ['init', '--quiet', clone]);
  gitIn(clone, 'remote', 'add', 'origin', `file://${origin}`);
  gitIn(clone, 'fetch', '--quiet', '--depth=1', 'origin', 'refs/pull/12/merge');
  gitIn(clone, 'checkout', '--quiet', 'FETCH_HEAD');
});
afterAll(() => rmSync(directory, { recursive: true }));

function sources(): Sources {
  return {
    readFile: () => undefined,
    git: (...args) => {
      const { status, stdout } = spawnSync('git', ['-C', join(directory, 'clone'), ...args], { encoding: 'utf8' });
      return status === 0 ? stdout : undefined;
    },
  };
}

describe('a shallow checkout of a merge', () => {
  it('reveals the head of the pull request', () => {
    const env = {
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_REF: 'refs/pull/12/merge',
      GITHUB_SHA: merge,
    };
    const context = readCiContext(env, sources());
    expect(context.commit).toEqual({
      value: head,
      source: 'GITHUB_SHA, git cat-file (second parent)',
      trust: 'git',
    });
    expect(context.pullRequest?.value.number).toBe('12');
  });

  it('is not taken for the head where the order of parents is unknown', () => {
    const env = { JENKINS_URL: 'https://jenkins.example.org/', BUILD_ID: '1', CHANGE_ID: '12', GIT_COMMIT: merge };
    const context = readCiContext(env, sources());
    expect(context.commit).toBeUndefined();
    expect(context.notes).toContain(
      'GIT_COMMIT may be a merge of the pull request and was left out: give its head with --commit',
    );
  });

  it('is the commit of a laptop, without an address that nobody else can open', () => {
    const context = readCiContext({}, sources());
    expect(context.commit?.value).toBe(merge);
    expect(context.dirty).toBe(false);
    expect(context.branch).toBeUndefined();
    expect(context.repository).toBeUndefined();
  });
});
