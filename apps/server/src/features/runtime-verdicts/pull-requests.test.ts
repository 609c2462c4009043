import { expect, it } from 'vitest';
import { pullRequestsOf, type SentPullRequests } from './pull-requests.ts';

const read = (pullRequest: object) => {
  const content = JSON.stringify({
    pull_requests: [{ url: 'https://git.example.com/1', state: 'MERGED', ...pullRequest }],
  });
  const [found] = pullRequestsOf(JSON.parse(content) as SentPullRequests);
  return found;
};

const review = (username: string, state: string, timestamp: number, commit_sha = 'c') => ({
  ...{ username, state, timestamp, commit_sha },
});

it('takes the newest commit as the head, in whatever order commits are listed', () => {
  const commits = [
    { sha1: 'b', timestamp: 2 },
    { sha1: 'a', timestamp: 1 },
  ];
  expect(read({ commits })?.headCommit).toBe('b');
  expect(read({ commits: commits.toReversed() })?.headCommit).toBe('b');
  expect(read({ commits: [{ sha1: 'a' }, { sha1: 'b' }] })?.headCommit).toBe('b');
  expect(read({})?.headCommit).toBeNull();
});

it('knows every author, by each of their names', () => {
  const commits = [
    { sha1: 'a', author: 'Ada <ada@example.com>', author_username: 'ada' },
    { sha1: 'b', author: 'Ada <ada@example.com>' },
  ];
  expect(read({ author: 'bob', commits })).toMatchObject({
    author: 'bob',
    commitAuthors: ['Ada <ada@example.com>', 'ada'],
  });
});

it('counts the last review of each reviewer', () => {
  const reviews = [
    review('ada', 'APPROVED', 1),
    review('Ada', 'CHANGES_REQUESTED', 3),
    review('bob', 'CHANGES_REQUESTED', 1),
    review('bob', 'APPROVED', 2),
    review('bob', 'COMMENTED', 4),
    review('eve', 'COMMENTED', 1),
    review('eve', 'APPROVED', 2, 'd'),
  ];
  expect(read({ reviews })?.approvers).toEqual([
    { user: 'Ada', state: 'CHANGES_REQUESTED', commit: 'c' },
    { user: 'bob', state: 'APPROVED', commit: 'c' },
    { user: 'eve', state: 'APPROVED', commit: 'd' },
  ]);
});

it('uses approvers where there are no reviews', () => {
  expect(read({ approvers: ['ada', { username: 'bob', state: 'APPROVED' }], reviews: [] })?.approvers).toEqual([
    { user: 'ada', state: '', commit: null },
    { user: 'bob', state: 'APPROVED', commit: null },
  ]);
});

it('has none where none were sent', () => {
  expect(pullRequestsOf({})).toEqual([]);
});
