import { describe, expect, it } from 'vitest';
import { isPattern, segmentPattern } from './segment-pattern.ts';

describe('a pattern', () => {
  it.each([
    ['*', '.git'],
    ['a*b', 'ab'],
    ['a*b*', 'a.b.c'],
    ['?', '😀'],
    ['[é😀]', '😀'],
    ['[a-c]', 'b'],
    ['[^a-c]', 'd'],
    [String.raw`[\]\-]`, '-'],
    [String.raw`[\]\-]`, ']'],
    ['[!a]', '!'],
    [String.raw`\*`, '*'],
    ['a.b+(c)]', 'a.b+(c)]'],
  ])('%s matches %s', (pattern, name) => {
    expect(segmentPattern(pattern)?.test(name)).toBe(true);
  });

  it.each([
    ['?', ''],
    ['?', 'ab'],
    ['a.b', 'axb'],
    ['[a-c]', 'd'],
    ['[^a-c]', 'b'],
    ['[c-a]', 'b'],
    ['[!a]', 'b'],
    [String.raw`\*`, 'a'],
    ['{a,b}', 'a'],
    ['a', 'A'],
  ])('%s does not match %s', (pattern, name) => {
    expect(segmentPattern(pattern)?.test(name)).toBe(false);
  });

  it.each(['[', '[]', '[]a]', '[^]', '[a', '[-a]', '[a-]', 'a\\', '[\\'])('%s is none', (pattern) => {
    expect(segmentPattern(pattern)).toBeUndefined();
  });
});

it.each([
  ['[slug]', true],
  ['*', true],
  ['a?', true],
  ['back\\slash', true],
  ['plain.txt', false],
])('%s can match something else: %s', (text, expected) => {
  expect(isPattern(text)).toBe(expected);
});
