import { expect, test } from 'vitest';
import { pullRequestsOf } from './evidence.ts';
import { dutiesOf } from './separation-of-duties.ts';

function duties(pull: object) {
  const [read] =
    pullRequestsOf({
      attestation_data: { pull_requests: [{ url: 'https://git.example.com/1', state: 'MERGED', ...pull }] },
      evaluation: null,
    }) ?? [];
  if (!read) throw new Error('the pull request was not read');
  return dutiesOf(read);
}

test('somebody else approved', () => {
  expect(duties({ author: 'ana', approvers: ['bo', 'ana'] })).toMatchObject({
    verdict: 'separate',
    independent: ['bo'],
    summary: 'bo approved it and did not write any of it; it was written by ana.',
  });
});

test('only the author approved, in whatever spelling', () => {
  expect(duties({ author: 'Ana', approvers: [{ username: 'ana ', state: 'APPROVED' }] })).toMatchObject({
    verdict: 'same',
  });
});

test('the writer of any commit is an author', () => {
  const commits = [{ sha1: 'a', author: 'Bo B', author_username: 'bo' }];
  expect(duties({ author: 'ana', commits, approvers: ['bo'] })).toMatchObject({
    verdict: 'same',
    authors: ['ana', 'bo'],
  });
});

test('a review that requests changes is not an approval', () => {
  const reviews = [{ username: 'bo', state: 'CHANGES_REQUESTED' }];
  const approvers = [{ username: 'cy', state: 'COMMENTED' }];
  expect(duties({ author: 'ana', reviews, approvers })).toMatchObject({ verdict: 'unapproved', approvers: [] });
});

test('the last review of each person counts, and a comment withdraws nothing', () => {
  const reviews = [
    { username: 'cy', state: 'APPROVED', timestamp: 4 },
    { username: 'Bo', state: 'CHANGES_REQUESTED', timestamp: 3 },
    { username: 'bo', state: 'APPROVED', timestamp: 1 },
    { username: 'cy', state: 'COMMENTED', timestamp: 5 },
  ];
  expect(duties({ author: 'ana', reviews, approvers: ['bo'] })).toMatchObject({
    verdict: 'separate',
    approvers: ['cy'],
  });
});

test('a name in a commit is not treated as an account', () => {
  const commits = [{ sha1: 'a', author: 'Alice Doe' }];
  expect(duties({ commits, approvers: ['alice'] })).toMatchObject({ verdict: 'unknown' });
  expect(duties({ author: 'ana', commits, approvers: ['alice'] })).toMatchObject({
    verdict: 'unknown',
    summary: 'alice approved it; the account of Alice Doe, who wrote it, was not reported.',
  });
  expect(duties({ author: 'ana', commits: [{ sha1: 'a', author: 'Ana' }], approvers: ['bo'] })).toMatchObject({
    verdict: 'separate',
  });
});

test('without an author there is no claim', () => {
  expect(duties({ approvers: ['bo'] })).toMatchObject({ verdict: 'unknown' });
});
