import { expect, it } from 'vitest';
import { compilePattern } from './pattern.ts';

it.each([
  ['b', 'abc', true],
  ['^b', 'abc', false],
  ['^\\d{4}-\\d{2}$', '2026-11', true],
  ['^https:\\/\\/', 'https://x', true],
  ['^\\u00e9$', 'é', true],
  ['^\\p{L}+$', 'zażółć', true],
  ['^(?<year>\\d+)$', '2026', true],
  ['^.$', '😀', true],
  ['^(a+)+$', `${'a'.repeat(50_000)}!`, false],
])('%s', (pattern, text, matches) => {
  expect(compilePattern(pattern).test(text)).toBe(matches);
});

it.each(['(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', '(', 'a{1,5000}'])('refuses %s', (pattern) => {
  expect(() => compilePattern(pattern)).toThrow(`the pattern ${pattern} is not valid: `);
});
