import { expect, it } from 'vitest';
import { inBrief, listed, withReasons } from './in-words.ts';

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
  [['a', 'b', 'c', 'd', 'e', 'f'], 'a, b and 4 more'],
])('lists %j as %j', (items, words) => {
  expect(listed(items)).toBe(words);
});

it('quotes reasons as sentences, however they end', () => {
  expect(withReasons('It fails', ['2 tests failed', ' ', 'One errored. ', 'Why?'])).toBe(
    'It fails: 2 tests failed. One errored. Why?',
  );
  expect(withReasons('It fails', ['', ' '])).toBe('It fails.');
  expect(withReasons('It fails', ['a', 'b', 'c', 'd', 'e'])).toBe('It fails: a. b. c. And 2 more reasons.');
});

it('cuts a long reason, between characters', () => {
  expect(withReasons('It fails', ['x'.repeat(300)])).toBe(`It fails: ${'x'.repeat(300)}.`);
  expect(withReasons('It fails', ['x'.repeat(301)])).toBe(`It fails: ${'x'.repeat(300)}…`);
  expect(withReasons('It fails', [`${'x'.repeat(299)}😀`]).isWellFormed()).toBe(true);
});

it('counts what it left out', () => {
  expect(inBrief(['A.', 'B.', 'C.'], (count) => `${count} more.`)).toBe('A. B. C.');
  expect(inBrief(['A.', 'B.', 'C.', 'D.'], (count) => `${count} more.`)).toBe('A. B. C. 1 more.');
});
