import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenFlow, trailOf } from '../../../../server/test/given/evidence.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { GITHUB_BUILD } from '../../../test/given-build.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const checkout = join(cli.home, 'checkout');
const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', '-c', 'commit.gpgsign=false'];
const git = (...args: string[]) =>
  execFileSync('git', ['-C', checkout, ...identity, ...args], { encoding: 'utf8' }).trim();
const CHANGES = 'There are uncommitted changes';

beforeAll(async () => {
  await givenFlow(api, 'shop');
  mkdirSync(checkout);
  git('init', '-q', '-b', 'main');
  writeFileSync(join(checkout, 'a'), '1');
  git('add', '.');
  git('commit', '-qm', 'Target');
});

describe('on a laptop', () => {
  const env = { WAYMARK_FLOW: 'shop' };
  const artifact = [
    'attest',
    'artifact',
    'a',
    '--build-url',
    'https://ci.example/1',
    '--commit-url',
    'https://g.example',
  ];

  it('there is no warning for a clean checkout', async () => {
    const { code, stderr } = await cli.run(['begin', 'trail'], { cwd: checkout, env });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('!')]);
  });

  it.each([[['begin', 'trail']], [artifact]])('%j warns that the commit does not contain all changes', async (line) => {
    writeFileSync(join(checkout, 'a'), '2');
    const { code, stderr } = await cli.run(line, { cwd: checkout, env });
    expect([code, stderr]).toEqual([0, expect.stringContaining(CHANGES)]);
    const given = await cli.run([...line, '--commit', 'HEAD'], { cwd: checkout, env });
    expect([given.code, given.stderr]).toEqual([0, expect.not.stringContaining(CHANGES)]);
    git('checkout', '-q', 'a');
  });
});

describe('in a job of pull_request_target', () => {
  function build(head: string) {
    const event = join(cli.home, 'event.json');
    writeFileSync(
      event,
      JSON.stringify({
        number: 7,
        pull_request: { number: 7, head: { sha: head, ref: 'theirs' }, base: { ref: 'main' } },
      }),
    );
    const request = { GITHUB_EVENT_NAME: 'pull_request_target', GITHUB_EVENT_PATH: event, GITHUB_HEAD_REF: 'theirs' };
    const sha = git('rev-parse', 'main');
    return { cwd: checkout, env: { ...GITHUB_BUILD, ...request, GITHUB_SHA: sha, WAYMARK_FLOW: 'shop' } };
  }

  it('the commit that is checked out is recorded, with a note', async () => {
    const given = build('d'.repeat(40));
    for (const line of [
      ['begin', 'trail'],
      ['attest', 'generic', '--name', 'x', '--compliant'],
    ]) {
      const { code, stderr } = await cli.run(line, given);
      expect([code, stderr]).toEqual([0, expect.stringContaining('it is not the head of the pull request')]);
    }
    const target = git('rev-parse', 'main');
    const { git_commit_info: info } = await trailOf(api, 'shop', target);
    expect(info).toMatchObject({ sha1: target, branch: 'main' });
    expect(info).not.toHaveProperty('pull_request.number');
  });

  it('the head is recorded where it is checked out', async () => {
    git('checkout', '-q', '-b', 'theirs');
    git('commit', '-q', '--allow-empty', '-m', 'Proposed');
    const head = git('rev-parse', 'HEAD');
    const { code, stderr } = await cli.run(['begin', 'trail'], build(head));
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('!')]);
    expect(await trailOf(api, 'shop', head)).toMatchObject({ git_commit_info: { sha1: head, branch: 'theirs' } });
  });
});

it('records who wrote the commit and when, not who applied it', async () => {
  const applied = {
    GIT_COMMITTER_DATE: '2026-06-01T00:00:00Z',
    GIT_COMMITTER_NAME: 'Bo',
    GIT_COMMITTER_EMAIL: 'b@x.com',
  };
  const env = { ...process.env, ...applied, GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z' };
  execFileSync('git', ['-C', checkout, ...identity, 'commit', '-q', '--allow-empty', '-m', 'Rebased'], { env });
  const head = git('rev-parse', 'HEAD');
  const given = { cwd: checkout, env: { WAYMARK_FLOW: 'shop' } };
  expect((await cli.run(['begin', 'trail', 'rebased'], given)).code).toBe(0);
  expect(
    (await cli.run(['attest', 'generic', '--name', 'x', '--compliant', '--trail', 'rebased', '--json'], given)).stdout,
  ).toContain('1767225600');
  expect(await trailOf(api, 'shop', 'rebased')).toMatchObject({
    git_commit_info: { sha1: head, author: 'Ana <ana@example.com>', timestamp: Date.parse(env.GIT_AUTHOR_DATE) / 1000 },
  });
});
