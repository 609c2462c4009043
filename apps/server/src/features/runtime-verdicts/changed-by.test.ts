import { expect, it } from 'vitest';
import { changedBy, committersOf, type SentChange, type SentCommit } from './changed-by.ts';

const ADA = { sha1: 'c1', author: 'Ada <ada@example.com>', author_username: 'ada' };
const NOBODY = { authors: [], committers: [] };

it.each<[string, SentChange, SentCommit | null, string | null, object]>([
  ['the built commit', { git_commit_info: ADA }, null, 'c1', { ...NOBODY, authors: ['Ada <ada@example.com>', 'ada'] }],
  ['nothing', {}, null, null, NOBODY],
  ['null', { git_commit_info: null, commits_list: null }, null, null, NOBODY],
  ['a commit without people', { git_commit_info: { sha1: 'c1' } }, null, 'c1', NOBODY],
  ['a blank author', { git_commit_info: { author: ' ' } }, null, null, NOBODY],
  [
    'the commits that it contains',
    { git_commit_info: { author: 'ada' }, commits_list: [{ author: 'bob' }, { author: 'ada', committer: 'eve' }] },
    null,
    null,
    { authors: ['ada', 'bob'], committers: ['eve'] },
  ],
  ['the commit of the trail', {}, ADA, 'c1', { ...NOBODY, authors: ['Ada <ada@example.com>', 'ada'] }],
  ['the commit of the trail, where no other is known', {}, { author: 'ada' }, null, { ...NOBODY, authors: ['ada'] }],
  ['another commit of the trail', {}, ADA, 'c2', NOBODY],
  [
    'committers',
    { git_commit_info: { committer: 'Eve <eve@example.com>', committer_username: 'eve' } },
    null,
    null,
    { ...NOBODY, committers: ['Eve <eve@example.com>', 'eve'] },
  ],
  [
    'a committer as git hosts send one',
    { git_commit_info: { committer: { name: 'Eve', email: 'eve@example.com', date: '2026-11-01', login: 7 } } },
    null,
    null,
    { ...NOBODY, committers: ['Eve', 'eve@example.com'] },
  ],
  ['a committer of another shape', { git_commit_info: { committer: 7 } }, null, null, NOBODY],
])('reads the people behind %s', (_, sent, ofTrail, commit, expected) => {
  expect(changedBy(sent, ofTrail, commit)).toEqual(expected);
});

it('reads a bounded number of people, those of the built commit first', () => {
  const others = Array.from({ length: 5_000 }, (_, i) => ({ author: `author-${i}` }));
  const { authors } = changedBy({ git_commit_info: { author: 'ada' }, commits_list: others }, null, null);
  expect([authors.length, authors[0]]).toEqual([1_000, 'ada']);
});

it('reads each committer once', () => {
  expect(committersOf([{ committer: 'eve' }, { committer: 'eve' }, { author: 'ada' }])).toEqual(['eve']);
});
