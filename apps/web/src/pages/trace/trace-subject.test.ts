import { describe, expect, it } from 'vitest';
import { askedFor, leftOutWords, wholeWord, withoutDuplicates } from './trace-subject.ts';

describe('the search text', () => {
  it.each([
    [' 9F14EFA ', { kind: 'digits', sha: '9f14efa' }],
    [`sha256:${'a'.repeat(64)}`, { kind: 'digits', sha: 'a'.repeat(64) }],
    ['https://git.example.com/acme/web/commit/9f14efabc?x=1', { kind: 'digits', sha: '9f14efabc' }],
    ['SHOP-812', { kind: 'words', text: 'SHOP-812' }],
    ['https://git.example.com/acme/web/pull/812', { kind: 'words', text: 'https://git.example.com/acme/web/pull/812' }],
    ['1.9.1', { kind: 'words', text: '1.9.1' }],
    ['abc', { kind: 'words', text: 'abc' }],
  ])('in %j is found out', (typed, asked) => {
    expect(askedFor(typed)).toEqual(asked);
  });
});

describe('a word', () => {
  it('is matched as a whole word, ignoring case', () => {
    const isMeant = wholeWord('SHOP-81');
    expect(isMeant({ issues: [{ id: 'shop-81' }] })).toBe(true);
    expect(isMeant(['Fix (SHOP-81).'])).toBe(true);
    expect(isMeant({ issues: [{ id: 'SHOP-812' }] })).toBe(false);
    expect(isMeant(undefined)).toBe(false);
  });

  it('may contain regular-expression characters', () => {
    expect(wholeWord('https://a.example/pull/8?x=(1)')(['https://a.example/pull/8?x=(1)'])).toBe(true);
    expect(wholeWord('a.example')(['aXexample'])).toBe(false);
    expect(wholeWord('say "hi"')(['say "hi" now'])).toBe(true);
  });
});

it('lists each artifact once', () => {
  const one = { flow: 'web', fingerprint: 'a' };
  expect(withoutDuplicates([one, { flow: 'api', fingerprint: 'a' }, { ...one }])).toHaveLength(2);
});

describe('other matches of the digits', () => {
  const of = (count: number) => ({ count, matches: Array.from({ length: Math.min(count, 10) }, String) });

  it.each([
    [1, 0, undefined],
    [0, 1, undefined],
    [10, 0, undefined],
    [23, 0, '23 fingerprints start with these digits; 10 are shown. Enter more digits to distinguish them.'],
    [0, 1000, '1,000 or more commits start with these digits; 10 are shown. Enter more digits to distinguish them.'],
    [1, 1, '1 commit starts with these digits, too (not shown). Enter more digits to distinguish them.'],
  ])('with %i fingerprints and %i commits', (fingerprints, commits, words) => {
    expect(leftOutWords({ fingerprints: of(fingerprints), commits: of(commits) })).toBe(words);
  });
});
