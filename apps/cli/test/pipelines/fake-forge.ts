import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

const TIME = '2026-11-15T09:12:00Z';
const PERSON = { login: 'ana', username: 'ana', nickname: 'ana', uniqueName: 'ana@example.org' };

/** Answers for any pull request, in the format of four forges, with the requested number and repository. */
const ANSWERS: readonly { readonly path: RegExp; readonly answer: (...parts: string[]) => unknown }[] = [
  {
    path: /^\/repos\/([\w/-]+)\/pulls\/(\d+)$/,
    answer: (repository, number) => ({
      number: Number(number),
      html_url: `https://github.com/${repository}/pull/${number}`,
      state: 'open',
      title: 'Log in',
      user: PERSON,
      created_at: TIME,
      merged_at: null,
      merge_commit_sha: null,
      head: { ref: 'feature/login' },
      base: { ref: 'main' },
    }),
  },
  { path: /^\/repos\/[\w/-]+\/pulls\/\d+\/(?:reviews|commits)$/, answer: () => [] },
  {
    path: /^\/projects\/(\d+)\/merge_requests\/(\d+)$/,
    answer: (_, number) => ({
      iid: Number(number),
      web_url: `https://gitlab.example.org/acme/shop/web/-/merge_requests/${number}`,
      state: 'opened',
      title: 'Log in',
      author: PERSON,
      created_at: TIME,
      merged_at: null,
      merge_commit_sha: null,
      source_branch: 'feature/login',
      target_branch: 'main',
    }),
  },
  { path: /^\/projects\/\d+\/merge_requests\/\d+\/approvals$/, answer: () => ({ approved_by: [] }) },
  { path: /^\/projects\/\d+\/merge_requests\/\d+\/commits$/, answer: () => [] },
  {
    path: /^\/repositories\/([\w/-]+)\/pullrequests\/(\d+)$/,
    answer: (repository, number) => ({
      id: Number(number),
      title: 'Log in',
      state: 'OPEN',
      author: PERSON,
      created_on: TIME,
      merge_commit: null,
      source: { branch: { name: 'feature/login' } },
      destination: { branch: { name: 'main' } },
      links: { html: { href: `https://bitbucket.org/${repository}/pull-requests/${number}` } },
    }),
  },
  { path: /^\/repositories\/[\w/-]+\/pullrequests\/\d+\/commits$/, answer: () => ({ values: [] }) },
  {
    path: /^\/([\w%]+)\/_apis\/git\/repositories\/[\w-]+\/pullRequests\/(\d+)$/,
    answer: (_, number) => ({
      pullRequestId: Number(number),
      status: 'active',
      title: 'Log in',
      createdBy: PERSON,
      creationDate: TIME,
      sourceRefName: 'refs/heads/feature/login',
      targetRefName: 'refs/heads/main',
      reviewers: [],
      repository: { name: 'web' },
    }),
  },
  { path: /^\/[\w%]+\/_apis\/git\/repositories\/[\w-]+\/pullRequests\/\d+\/commits$/, answer: () => ({ value: [] }) },
];

export async function givenForge(): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://forge.test');
    const known = ANSWERS.find(({ path }) => path.test(pathname));
    const [, ...parts] = known?.path.exec(pathname) ?? [];
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known?.answer(...parts) ?? { message: 'Not Found' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
