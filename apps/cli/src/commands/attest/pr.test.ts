import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenFlow } from '../../../../server/test/given/evidence.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { COMMIT, GITHUB_BUILD } from '../../../test/given-build.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const MERGE = 'b'.repeat(40);

/** A forge with a recorded answer for each path, which records who asked. */
async function givenForge(answers: Record<string, unknown>) {
  const asked: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer((request, response) => void tell(request, response));
  const tell = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '');
    asked.push({ path, headers: request.headers, body });
    const answer = answers[path];
    if (typeof answer === 'number' || answer === undefined)
      return response.writeHead((answer as number) ?? 404).end('{}');
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

beforeAll(() => givenFlow(api, 'shop', 'version: 1\n'));

async function attestPr(trail: string, env: Record<string, string | undefined>, ...more: string[]) {
  const ran = await cli.run(['attest', 'pr', ...more, '--json'], {
    env: { WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: trail, ...env },
  });
  return { ...ran, attestation: ran.code === 0 ? JSON.parse(ran.stdout) : undefined };
}

const githubPull = {
  number: 812,
  html_url: 'https://github.com/acme/shop/pull/812',
  state: 'closed',
  title: 'Faster checkout',
  user: { login: 'ana' },
  created_at: '2026-11-01T10:00:00Z',
  merged_at: '2026-11-02T10:00:00Z',
  merge_commit_sha: MERGE,
  head: { ref: 'faster', sha: COMMIT },
  base: { ref: 'main', sha: 'c'.repeat(40) },
};
const githubReviews = [
  { user: { login: 'ben' }, state: 'CHANGES_REQUESTED', submitted_at: '2026-11-01T11:00:00Z', commit_id: COMMIT },
  { user: { login: 'ben' }, state: 'APPROVED', submitted_at: '2026-11-01T12:00:00Z', commit_id: COMMIT },
  { user: { login: 'ben' }, state: 'COMMENTED', submitted_at: '2026-11-01T13:00:00Z', commit_id: COMMIT },
  { user: { login: 'cem' }, state: 'APPROVED', submitted_at: '2026-11-01T12:00:00Z', commit_id: COMMIT },
  { user: { login: 'cem' }, state: 'DISMISSED', submitted_at: '2026-11-01T14:00:00Z', commit_id: COMMIT },
];
const githubCommits = [
  {
    sha: COMMIT,
    html_url: `https://github.com/acme/shop/commit/${COMMIT}`,
    author: { login: 'ana' },
    parents: [{ sha: 'c'.repeat(40) }],
    commit: {
      message: 'Faster',
      author: { name: 'Ana', email: 'ana@example.com', date: '2026-11-01T09:00:00Z' },
      verification: { verified: true, reason: 'valid' },
    },
  },
];

describe('GitHub', () => {
  const answers = {
    [`/repos/acme/shop/commits/${COMMIT}/pulls`]: [githubPull],
    '/repos/acme/shop/pulls/812': githubPull,
    '/repos/acme/shop/pulls/812/reviews': githubReviews,
    '/repos/acme/shop/pulls/812/commits': githubCommits,
  };

  it('records who wrote and who approved what', async () => {
    const forge = await givenForge(answers);
    const { code, attestation } = await attestPr('github', {
      ...GITHUB_BUILD,
      GITHUB_API_URL: forge.url,
      GITHUB_TOKEN: 'job-secret',
    });
    expect(code).toBe(0);
    expect(attestation).toMatchObject({ attestation_name: 'pull-request', is_compliant: true });
    expect(attestation.attestation_data).toMatchObject({
      git_provider: 'github',
      pull_requests: [
        {
          url: 'https://github.com/acme/shop/pull/812',
          state: 'MERGED',
          author: 'ana',
          title: 'Faster checkout',
          merge_commit: MERGE,
          head_ref: 'faster',
          base_ref: 'main',
          created_at: Date.parse('2026-11-01T10:00:00Z') / 1000,
          approvers: [{ username: 'ben', state: 'APPROVED' }],
          commits: [{ sha1: COMMIT, author: 'Ana <ana@example.com>', author_username: 'ana', verified: true }],
        },
      ],
    });
    expect(forge.asked[0]?.headers.authorization).toBe('Bearer job-secret');
  });

  it('records that there is none, and it is not compliant', async () => {
    const forge = await givenForge({ [`/repos/acme/shop/commits/${COMMIT}/pulls`]: [] });
    const env = { ...GITHUB_BUILD, GITHUB_API_URL: forge.url, GITHUB_TOKEN: 'job-secret' };
    const { code, stderr, attestation } = await attestPr('github-none', env);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`No pull request contains commit ${COMMIT}`)]);
    expect(attestation).toMatchObject({ is_compliant: false });
  });

  it.each([
    [401, 4],
    [403, 4],
    [404, 5],
    [500, 7],
    [429, 7],
  ])('ends when GitHub answers %i, and records nothing', async (status, code) => {
    const forge = await givenForge({ ...answers, '/repos/acme/shop/pulls/812/reviews': status });
    const env = { ...GITHUB_BUILD, GITHUB_API_URL: forge.url, GITHUB_TOKEN: 'job-secret' };
    const ran = await attestPr('github-refused', env);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(`GitHub responded with ${status}`)]);
    expect(ran.stderr).not.toContain('job-secret');
  });

  it('ends when there is no token, no commit, no repository, or an address without protection', async () => {
    expect((await attestPr('x', { ...GITHUB_BUILD })).code).toBe(4);
    expect((await attestPr('x', { GITHUB_TOKEN: 't' }, '--provider', 'github')).stderr).toContain('Add --commit');
    const nowhere = await attestPr('x', { GITHUB_TOKEN: 't' }, '--provider', 'github', '--commit', COMMIT);
    expect(nowhere.stderr).toContain('Add --repository');
    const plain = { ...GITHUB_BUILD, GITHUB_API_URL: 'http://api.example.com', GITHUB_TOKEN: 't' };
    expect((await attestPr('x', plain)).stderr).toContain('https://');
    expect((await attestPr('x', { ...GITHUB_BUILD }, '--provider', 'svn')).code).toBe(2);
  });
});

it('GitLab: approvals and commits of the merge requests of the commit', async () => {
  const base = '/api/v4/projects/77';
  const forge = await givenForge({
    [`${base}/repository/commits/${COMMIT}/merge_requests`]: [
      {
        iid: 5,
        web_url: 'https://gitlab.example.com/acme/shop/-/merge_requests/5',
        state: 'merged',
        title: 'Faster',
        author: { username: 'ana' },
        created_at: '2026-11-01T10:00:00.000Z',
        merged_at: '2026-11-02T10:00:00.000Z',
        merge_commit_sha: MERGE,
        source_branch: 'faster',
        target_branch: 'main',
      },
    ],
    [`${base}/merge_requests/5/approvals`]: { approved_by: [{ user: { username: 'ben' } }] },
    [`${base}/merge_requests/5/commits`]: [
      {
        id: COMMIT,
        message: 'Faster',
        author_name: 'Ana',
        author_email: 'ana@example.com',
        created_at: '2026-11-01T09:00:00.000+00:00',
        web_url: `https://gitlab.example.com/acme/shop/-/commit/${COMMIT}`,
        parent_ids: [],
      },
    ],
  });
  const { code, attestation } = await attestPr('gitlab', {
    GITLAB_CI: 'true',
    CI_COMMIT_SHA: COMMIT,
    CI_PROJECT_ID: '77',
    CI_PROJECT_PATH: 'acme/shop',
    CI_PROJECT_URL: 'https://gitlab.example.com/acme/shop',
    CI_SERVER_URL: 'https://gitlab.example.com',
    CI_API_V4_URL: `${forge.url}/api/v4`,
    CI_JOB_TOKEN: 'job-secret',
  });
  expect(code).toBe(0);
  expect(attestation.attestation_data).toMatchObject({
    git_provider: 'gitlab',
    pull_requests: [
      { state: 'merged', approvers: [{ username: 'ben' }], commits: [{ sha1: COMMIT }], merge_commit: MERGE },
    ],
  });
  expect(forge.asked[0]?.headers['job-token']).toBe('job-secret');
});

it('asks for the pull request that is built without a search, and leaves out the test merge', async () => {
  const open = { ...githubPull, state: 'open', merged_at: null };
  const forge = await givenForge({
    '/repos/acme/shop/pulls/812': open,
    '/repos/acme/shop/pulls/812/reviews': [],
    '/repos/acme/shop/pulls/812/commits': githubCommits,
  });
  const event = join(cli.home, 'event.json');
  writeFileSync(event, JSON.stringify({ number: 812, pull_request: { number: 812, head: { sha: COMMIT } } }));
  const { code, attestation } = await attestPr('github-pr', {
    ...GITHUB_BUILD,
    ...{ GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: event, GITHUB_SHA: MERGE },
    ...{ GITHUB_REF: 'refs/pull/812/merge', GITHUB_HEAD_REF: 'faster', GITHUB_BASE_REF: 'main' },
    ...{ GITHUB_API_URL: forge.url, GITHUB_TOKEN: 'job-secret' },
  });
  expect(code).toBe(0);
  expect(attestation.git_commit_info).toMatchObject({ sha1: COMMIT });
  expect(attestation.attestation_data.pull_requests).toMatchObject([{ state: 'OPEN', approvers: [] }]);
  expect(attestation.attestation_data.pull_requests[0]).not.toHaveProperty('merge_commit');
});

it('Bitbucket: participants who approved', async () => {
  const base = '/2.0/repositories/acme/shop';
  const forge = await givenForge({
    [`${base}/commit/${COMMIT}/pullrequests`]: { values: [{ id: 9 }] },
    [`${base}/pullrequests/9`]: {
      id: 9,
      title: 'Faster',
      state: 'OPEN',
      author: { nickname: 'ana' },
      created_on: '2026-11-01T10:00:00.000000+00:00',
      merge_commit: { hash: '0123456789ab' },
      source: { branch: { name: 'faster' } },
      destination: { branch: { name: 'main' } },
      links: { html: { href: 'https://bitbucket.org/acme/shop/pull-requests/9' } },
      participants: [
        { user: { nickname: 'ben' }, approved: true, participated_on: '2026-11-01T12:00:00.000000+00:00' },
        { user: { nickname: 'cem' }, approved: false, participated_on: null },
      ],
    },
    [`${base}/pullrequests/9/commits`]: {
      values: [
        {
          hash: COMMIT,
          message: 'Faster',
          date: '2026-11-01T09:00:00+00:00',
          author: { raw: 'Ana <ana@example.com>' },
        },
      ],
    },
  });
  const env = {
    BITBUCKET_BUILD_NUMBER: '3',
    BITBUCKET_COMMIT: COMMIT,
    BITBUCKET_REPO_FULL_NAME: 'acme/shop',
    BITBUCKET_GIT_HTTP_ORIGIN: 'https://bitbucket.org/acme/shop',
    BITBUCKET_TOKEN: 'job-secret',
  };
  const { code, attestation } = await attestPr('bitbucket', env, '--api-url', `${forge.url}/2.0`);
  expect(code).toBe(0);
  expect(attestation.attestation_data.pull_requests).toMatchObject([
    {
      state: 'OPEN',
      author: 'ana',
      merge_commit: '0123456789ab',
      approvers: [{ username: 'ben' }],
      commits: [{ sha1: COMMIT }],
    },
  ]);
});

it('Azure DevOps: votes of reviewers', async () => {
  const base = '/acme/Shop/_apis/git/repositories/r-1';
  const forge = await givenForge({
    [`${base}/pullrequestquery`]: {
      results: [
        {
          [COMMIT]: [
            {
              pullRequestId: 4,
              status: 'completed',
              title: 'Faster',
              createdBy: { uniqueName: 'ana@example.com' },
              creationDate: '2026-11-01T10:00:00Z',
              closedDate: '2026-11-02T10:00:00Z',
              sourceRefName: 'refs/heads/faster',
              targetRefName: 'refs/heads/main',
              lastMergeCommit: { commitId: MERGE },
              repository: { name: 'shop' },
              reviewers: [
                { uniqueName: 'ben@example.com', vote: 10 },
                { uniqueName: 'cem@example.com', vote: -5 },
                { uniqueName: 'eva@example.com', vote: 0 },
              ],
            },
          ],
        },
        {},
      ],
    },
    [`${base}/pullRequests/4/commits`]: {
      value: [
        {
          commitId: COMMIT,
          comment: 'Faster',
          author: { name: 'Ana', email: 'a@example.com', date: '2026-11-01T09:00:00Z' },
        },
      ],
    },
  });
  const { code, attestation } = await attestPr('azure', {
    TF_BUILD: 'True',
    BUILD_SOURCEVERSION: COMMIT,
    BUILD_REPOSITORY_ID: 'r-1',
    BUILD_REPOSITORY_NAME: 'shop',
    BUILD_REPOSITORY_PROVIDER: 'TfsGit',
    BUILD_REPOSITORY_URI: 'https://dev.azure.com/acme/Shop/_git/shop',
    SYSTEM_TEAMPROJECT: 'Shop',
    SYSTEM_COLLECTIONURI: `${forge.url}/acme/`,
    SYSTEM_ACCESSTOKEN: 'job-secret',
  });
  expect(code).toBe(0);
  expect(attestation.attestation_data).toMatchObject({
    git_provider: 'azure',
    pull_requests: [
      {
        url: `${forge.url}/acme/Shop/_git/shop/pullrequest/4`,
        merge_commit: MERGE,
        head_ref: 'faster',
        approvers: [{ username: 'ben@example.com', state: 'APPROVED' }],
      },
    ],
  });
  expect(JSON.parse(forge.asked[0]?.body ?? '').queries[0]).toEqual({ items: [COMMIT], type: 'commit' });
});

describe('attest jira', () => {
  const jira = async (trail: string, env: Record<string, string>, ...more: string[]) => {
    const given = { env: { WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: trail, ...env } };
    const ran = await cli.run(['attest', 'jira', ...more, '--json'], given);
    return { ...ran, attestation: ran.code === 0 ? JSON.parse(ran.stdout) : undefined };
  };
  const issue = { key: 'SHOP-1', fields: { summary: 'Slow', status: { name: 'Done' }, issuetype: { name: 'Bug' } } };

  it('asks Jira whether the issues exist', async () => {
    const forge = await givenForge({ '/jira/rest/api/2/issue/SHOP-1': issue });
    const env = { JIRA_URL: `${forge.url}/jira/`, JIRA_USER: 'ci@example.com', JIRA_TOKEN: 'job-secret' };
    const good = await jira('jira-1', env, 'SHOP-1');
    expect(good.attestation).toMatchObject({ is_compliant: true, attestation_name: 'jira' });
    expect(good.attestation.attestation_data.jira_results).toMatchObject([
      { issue_id: 'SHOP-1', issue_exists: true, issue_fields: { summary: 'Slow', status: 'Done', issuetype: 'Bug' } },
    ]);
    expect(forge.asked[0]?.headers.authorization).toMatch(/^Basic /);
    expect((await jira('jira-2', env, 'SHOP-1', 'SHOP-2')).attestation).toMatchObject({ is_compliant: false });
  });

  it('takes them from the branch and the message, of the projects that are named', async () => {
    const branch = {
      ...GITHUB_BUILD,
      GITHUB_REF: 'refs/heads/SHOP-7-utf-8-UTF-8',
      GITHUB_REF_NAME: 'SHOP-7_UTF-8 OPS-3 CVE-2026-12',
    };
    const any = await jira('jira-3', branch, '--assume-exists');
    const ids = any.attestation.attestation_data.jira_results.map((one: { issue_id: string }) => one.issue_id);
    expect(ids).toEqual(['OPS-3']);
    const some = await jira('jira-4', branch, '--assume-exists', '--project', 'SHOP');
    expect(some.attestation).toMatchObject({ is_compliant: false });
    expect(some.stderr).toContain('No issue key found');
  });

  it('never takes a refusal for an answer', async () => {
    const forge = await givenForge({ '/rest/api/2/issue/SHOP-1': 401, '/rest/api/2/issue/SHOP-2': 503 });
    const env = { JIRA_URL: forge.url, JIRA_TOKEN: 'job-secret' };
    const denied = await jira('jira-5', env, 'SHOP-1');
    expect([denied.code, denied.stderr]).toEqual([4, expect.stringContaining('Jira responded with 401')]);
    expect((await jira('jira-5', env, 'SHOP-2')).code).toBe(7);
    expect((await jira('jira-5', { JIRA_URL: forge.url }, 'SHOP-3')).code).toBe(4);
    expect((await jira('jira-5', {}, 'SHOP-3')).stderr).toContain('--assume-exists');
    expect((await jira('jira-5', { JIRA_URL: 'http://127.0.0.1:1', JIRA_TOKEN: 'x' }, 'SHOP-1')).code).toBe(7);
  });
});
